"""What a stage prints is read again as the same module, with locations or without, and compiles to the same binary."""

import pytest
from lines import IR_STAGES, LINES, Line

from spyrec import asm, driver
from spyrec.dialects import make_context


@pytest.mark.parametrize("line", LINES, ids=str)
def test_print_of_parse_of_print_is_print(line: Line) -> None:
    for stage in IR_STAGES:
        for debuginfo in (False, True):
            options = driver.Options(kernel=line.kernel.name, emit=stage, debuginfo=debuginfo)
            text = driver.compile_text(line.kernel.text(line.element), str(line.kernel.path), options).text
            assert text is not None
            again = asm.read(text, f"{line}.{stage}.mlir", make_context()).module
            assert asm.print_op(again.operation, debuginfo=debuginfo) == text


@pytest.mark.parametrize("line", LINES[:4], ids=str)
def test_each_stage_is_a_start(line: Line) -> None:
    for stage in IR_STAGES:
        options = driver.Options(kernel=line.kernel.name, emit=stage, debuginfo=True)
        text = driver.compile_text(line.kernel.text(line.element), str(line.kernel.path), options).text
        assert text is not None
        artifact = driver.compile_text(text, f"{line}.{stage}.mlir", driver.Options(from_stage=stage)).artifact
        assert artifact is not None
        assert artifact.binary == line.artifact.binary
