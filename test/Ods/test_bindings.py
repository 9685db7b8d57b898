"""What the kit relies on in MLIR's bindings, and what it works around: a wheel that changes one of them shows here."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
import sample

from spyrec import mlir
from spyrec.mlir import ir


@pytest.fixture(autouse=True)
def context() -> Iterator[ir.Context]:
    with sample.context() as made, ir.Location.unknown():
        yield made


def load(irdl: str) -> None:
    with mlir.LOAD_LOCK:
        mlir.load_irdl(ir.Module.parse(irdl))


def test_a_variadic_group_has_one_type() -> None:
    """Why a mixed group is 64 optional operands (``ods.MIXED_LIMIT``)."""
    load("irdl.dialect @one { irdl.operation @op { %0 = irdl.any irdl.operands(xs: variadic %0) } }")
    values = "%i = arith.constant 1 : index %f = arith.constant 1.0 : f32"
    ir.Module.parse(f'{values} "one.op"(%i, %i) : (index, index) -> ()')
    with pytest.raises(ir.MLIRError, match="expected 'index' but got 'f32'"):
        ir.Module.parse(f'{values} "one.op"(%i, %f) : (index, f32) -> ()')


def test_ops_and_types_share_one_symbol_table() -> None:
    """Why a type may have another name inside MLIR (``RecordSpec.ir_name``)."""
    with pytest.raises(ir.MLIRError, match="redefinition of symbol named 'x'"):
        load("irdl.dialect @two { irdl.type @x {} irdl.operation @x {} }")


def test_ops_of_ours_have_no_properties() -> None:
    """Why the generic form has one plain dictionary."""
    with pytest.raises(ir.MLIRError, match="don't support properties"):
        ir.Module.parse('"sample.range"() <{lower = 1 : i64, upper = 2 : i64}> : () -> ()')


def test_a_set_inside_a_record_needs_an_alias() -> None:
    """Why the reader hoists affine maps and sets."""
    ir.Context.current.allow_unregistered_dialects = True
    text = '"test.op"() {{a = #sample.mode<{}>}} : () -> ()'
    with pytest.raises(ir.MLIRError, match="unbalanced"):
        ir.Module.parse(text.format("affine_set<(d0) : (d0 >= 0)>"))
    ir.Module.parse("#s = affine_set<(d0) : (d0 >= 0)>\n" + text.format("#s"))


def test_parameters_arrive_as_plain_attributes() -> None:
    """Why ``ods.param`` casts what it returns."""
    made = sample.ModeAttr.make(value="fast")
    assert not isinstance(made.params[0], ir.StringAttr)
    assert isinstance(made.value, ir.StringAttr)


def test_dialects_have_a_module_to_be_found() -> None:
    """Without one, each access to an op searches for it again: a slow-down of several times."""
    assert f"{mlir.package()}.dialects.sample" in sys.modules


def test_the_package_of_dialects_imports_no_mlir() -> None:
    code = "import sys, spyrec.mlir, spyrec.dialects; print([m for m in sys.modules if 'mlir' in m])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "['spyrec.mlir']"


def test_an_op_in_a_set_is_found_after_it_has_changed() -> None:
    """What ``spyrec.mlir`` sees to: the bindings hash what an op has, and compare which one it is."""
    module = ir.Module.parse("%a = arith.constant 1 : index\n%b = arith.constant 1 : index")
    one, other = (view.operation for view in module.body.operations)
    seen = {one}
    one.attributes["mark"] = ir.UnitAttr.get()
    assert one in seen
    assert one.results[0].owner in seen
    assert other not in seen
