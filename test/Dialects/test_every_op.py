"""Each op comes back when it is printed, is refused when it lacks what it needs, and has its page."""

import random
import re
import sys
from pathlib import Path

import pytest

from spyrec import asm, ods
from spyrec.dialects import docs, make_context
from spyrec.errors import InvalidKernel
from spyrec.mlir import ir
from spyrec.ods import registry

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "test" / "Asm"), str(ROOT / "test" / "tools")]
import error_ids  # noqa: E402
import error_sites  # noqa: E402
from generate import Generator  # noqa: E402
from mutate import sources  # noqa: E402

make_context()  # registers them
OPS = {name: op for name, op in registry.ops.items() if op.dialect in docs.DIALECTS}
#: It has no text: it ends the region of an indirect tile, and printing that op prints it.
HIDDEN = {"ktdp.region_terminator"}


def names(text: str) -> set[str]:
    """The ops of a module that comes back when printed."""
    module = asm.read(text, "in.mlir", make_context()).module
    printed = asm.print_op(module)
    assert asm.print_op(asm.read(printed, "out.mlir", make_context()).module) == printed
    found: set[str] = set()

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.add(op.name)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def test_each_op_comes_back() -> None:
    examples = [e for d in docs.DIALECTS for e in re.findall(r"```mlir\n(.*?)```", d.spec.description, re.DOTALL)]
    generated = [Generator(random.Random(seed), trailers=False).module().text for seed in range(12)]
    found = set().union(*map(names, [*sources(), *examples, *generated]))
    assert sorted(set(OPS) - found - HIDDEN) == []


@pytest.mark.parametrize("name", OPS)
def test_each_op_needs_its_fields(name: str) -> None:
    spec = OPS[name].spec
    needed = [f for f in (*spec.operands, *spec.results) if f.arity is ods.Arity.ONE]
    needed += [a for a in spec.attributes if not a.optional]
    needed += list(spec.regions)
    if not needed:
        pytest.skip("it needs nothing")
    with pytest.raises(InvalidKernel) as caught:
        asm.read(f'"builtin.module"() ({{\n  "{name}"() : () -> ()\n}}) : () -> ()\n', "x.mlir", make_context())
    first = caught.value.diagnostics[0]
    assert first.id
    assert first.position is not None
    assert first.position.line == 2


@pytest.mark.parametrize("name", OPS)
def test_each_op_has_a_page(name: str) -> None:
    page = (ROOT / "docs" / "dialects" / f"{name.partition('.')[0]}.md").read_text(encoding="utf-8")
    assert f"\n## `{name}`\n" in page


def test_each_rule_of_each_op_is_shown_by_a_test() -> None:
    """Each place in the dialects that makes a violation is listed with a test that reaches it."""
    listed = error_ids.read("site")
    sites = [site for site in error_sites.sites() if site.path.startswith("dialects/")]
    assert len(sites) > 100
    assert [s.name for s in sites if listed.get(s.name, error_ids.EXCEPT).startswith(error_ids.EXCEPT)] == []
    assert [t for s in sites if not (ROOT / (t := listed[s.name])).is_file()] == []
