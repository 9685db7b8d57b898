"""Loads dialects into a context: IRDL, made once per process, is parsed per context, then traits are attached."""

from __future__ import annotations

import functools
import io
from collections.abc import Sequence

from spyrec import mlir
from spyrec.mlir import ir
from spyrec.ods import registry
from spyrec.ods.op import Dialect, Op
from spyrec.ods.spec import Arity, OpSpec, RecordSpec, ValueSpec
from spyrec.ods.verify import verify_invariants


class _Verifier:
    """What MLIR calls for each op of ours."""

    verify_invariants = staticmethod(verify_invariants)


def load(context: ir.Context, dialects: Sequence[type[Dialect]]) -> None:
    """Make ``dialects`` known in ``context``; a second call for the same context is harmless. Safe in threads."""
    with mlir.LOAD_LOCK, context, ir.Location.unknown(context):
        wanted = tuple(d for d in dialects if not context.is_dialect_loaded(d.DIALECT_NAMESPACE))
        if not wanted:
            return
        ops = _claim(wanted)
        mlir.load_irdl(_irdl(wanted, context))
        for op in ops:
            for trait in op.trait_set:
                if trait.attach is not None:
                    trait.attach(op.NAME)
            if op.effect_set is not None:
                op.effect_set.attach(op.NAME)
            ir.DynamicOpTrait.attach(op.NAME, _Verifier)
        for dialect in wanted:
            for spec, cls in registry.records(dialect.DIALECT_NAMESPACE):
                mlir.register_record(cls, spec.ir_name, is_type=spec.sigil == "!")


_bytecode: dict[tuple[type[Dialect], ...], bytes] = {}


def _irdl(dialects: tuple[type[Dialect], ...], context: ir.Context) -> ir.Module:
    """The dialects as an IRDL module; from the second time on made of bytecode, which takes half as long to read."""
    if dialects in _bytecode:
        return ir.Module.parse(_bytecode[dialects], context)
    module = ir.Module.parse(irdl_text(dialects), context)
    buffer = io.BytesIO()
    module.operation.write_bytecode(buffer)
    _bytecode[dialects] = buffer.getvalue()
    return module


@functools.cache
def _claim(dialects: tuple[type[Dialect], ...]) -> tuple[type[Op], ...]:
    """Register the classes of these dialects with the bindings, once per process; gives their ops."""
    out: list[type[Op]] = []
    for dialect in dialects:
        name = dialect.DIALECT_NAMESPACE
        mlir.claim_dialect_module(name)
        mlir.register_dialect(name, dialect)
        own = [op for op in registry.ops.values() if op.dialect is dialect]
        for op in own:
            mlir.register_op(dialect, op)
        out.extend(own)
    return tuple(out)


@functools.cache
def irdl_text(dialects: tuple[type[Dialect], ...]) -> str:
    """The dialects as an IRDL module. Everything is declared as "any": the kit checks, so that messages are ours."""
    lines: list[str] = []
    for dialect in dialects:
        name = dialect.DIALECT_NAMESPACE
        lines.append(f"irdl.dialect @{name} {{")
        lines.extend(_record(spec) for spec, _ in registry.records(name))
        lines.extend(_op(op.spec) for op in registry.ops.values() if op.spec.dialect == name)
        lines.append("}")
    return "\n".join(lines)


def _record(spec: RecordSpec) -> str:
    kind = "type" if spec.sigil == "!" else "attribute"
    if not spec.params:
        return f"irdl.{kind} @{spec.ir_name.partition('.')[2]} {{}}"
    ids = [f"%p{i}" for i in range(len(spec.params))]
    decls = " ".join(f"{i} = irdl.any" for i in ids)
    params = ", ".join(f"p{k}: {i}" for k, i in enumerate(ids))
    return f"irdl.{kind} @{spec.ir_name.partition('.')[2]} {{ {decls} irdl.parameters({params}) }}"


def _op(spec: OpSpec) -> str:
    body = [_values("operands", "o", spec.operands), _values("results", "r", spec.results)]
    if spec.regions:
        decls = " ".join(f"%g{i} = irdl.region" for i in range(len(spec.regions)))
        body.append(f"{decls} irdl.regions({', '.join(f'g{i}: %g{i}' for i in range(len(spec.regions)))})")
    return f"irdl.operation @{spec.mnemonic} {{ {' '.join(body)} }}"


def _values(kind: str, prefix: str, specs: Sequence[ValueSpec]) -> str:
    """One ``any`` per IRDL value: a shared one would force a shared type."""
    entries: list[str] = []
    for s in specs:
        arity = Arity.OPTIONAL if s.mixed else s.arity
        entries.extend(["" if arity is Arity.ONE else f"{arity.value} "] * s.irdl_count)
    if not entries:
        return ""
    decls = " ".join(f"%{prefix}{i} = irdl.any" for i in range(len(entries)))
    named = ", ".join(f"{prefix}{i}: {e}%{prefix}{i}" for i, e in enumerate(entries))
    return f"{decls} irdl.{kind}({named})"
