"""Checks ops against their records, then against their own ``verify``; all messages are ours and name a field.

The same checks run in two ways: MLIR calls :func:`verify_invariants` for every op that it verifies (each violation goes
out as an MLIR diagnostic, encoded), and :func:`verify_tree` walks a module and returns all of them. The reader suspends
the first while MLIR parses, since positions and names are not set then, and calls the second after setting them. It
also wants to know what ``review`` says, which is about ops as somebody wrote them and is never asked again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from typing import Any

from spyrec.mlir import ir
from spyrec.ods import registry
from spyrec.ods.fields import OPERAND_SIZES, RESULT_SIZES, value_counts
from spyrec.ods.op import Dialect, Op
from spyrec.ods.spec import Arity, Constraint, OpSpec, RegionSpec, ValueSpec
from spyrec.ods.violation import Violation, encode

_suspended: ContextVar[bool] = ContextVar("verification_suspended", default=False)
_SEGMENT_KEYS = frozenset({OPERAND_SIZES, RESULT_SIZES})


@contextlib.contextmanager
def verification_suspended() -> Iterator[None]:
    """Within this block MLIR's verifier asks nothing of our ops."""
    token = _suspended.set(True)
    try:
        yield
    finally:
        _suspended.reset(token)


def verify_invariants(op: Op) -> bool:
    """Entry point for MLIR: emits each violation at the op's location; False if there was one."""
    if _suspended.get():
        return True
    with op.operation.context:
        found = violations(op)
    for violation in found:
        op.operation.location.emit_error(encode(violation))
    return not found


def verify_tree(root: ir.Operation | ir.OpView, *, written: bool = False) -> list[tuple[ir.Operation, Violation]]:
    """All violations of our ops in ``root`` (included), in program order.

    ``written``: the ops are as somebody wrote them, so that ``review`` is asked about those that break no rule.
    """
    out: list[tuple[ir.Operation, Violation]] = []
    owners = {n: d for n, d in registry.dialects.items() if "verify_attribute" in vars(d)} if written else {}

    def visit(operation: ir.Operation) -> ir.WalkResult:
        cls = registry.ops.get(operation.name)
        if cls is not None:
            out.extend((operation, v) for v in violations(cls(operation), written=written))
        if owners:
            out.extend((operation, v) for v in _discardable(operation, owners))
        return ir.WalkResult.ADVANCE

    with root.operation.context:
        root.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return out


def _discardable(operation: ir.Operation, owners: dict[str, type[Dialect]]) -> Iterator[Violation]:
    """What dialects say of attributes under their name on ops of other dialects."""
    attributes = operation.attributes
    for name in attributes:
        owner, dot, _ = name.partition(".")
        if dot and owner in owners and not operation.name.startswith(f"{owner}."):
            yield from owners[owner].verify_attribute(operation, name, attributes[name])


def violations(op: Op, *, written: bool = False) -> list[Violation]:
    """Broken rules of one op: of its fields; if there are none, of equal types; if none, of its own ``verify``; if none
    and ``written``, what its ``review`` says. The caller has entered the op's context.
    """
    try:
        for rules in (_structure, _same_types, type(op).verify, *([type(op).review] if written else [])):
            found = list(rules(op))
            if found:
                return found
        return []
    except Exception as error:  # a bug in a verifier must not unwind through MLIR's C++ frames, which abort the process
        return [
            Violation("verifier-crashed", f"the verifier of {op.spec.name} failed: {type(error).__name__}: {error}")
        ]


def _structure(op: Op) -> Iterator[Violation]:
    spec, operation = op.spec, op.operation
    if not spec.open_attributes:
        yield from _undeclared(spec, operation)
    told: set[str] = set()
    for values, specs, operands in (
        (operation.operands, spec.operands, True),
        (operation.results, spec.results, False),
    ):
        try:
            counts = value_counts(op, operands=operands)
        except ValueError as error:
            kind = "operands" if operands else "results"
            yield Violation("wrong-operands", f"{spec.name}: the {kind} do not fit its fields: {error}")
            return
        yield from _types(spec, values, specs, counts, told)
    attributes = operation.attributes
    for a in spec.attributes:
        if a.name not in attributes:
            if not a.optional:
                yield Violation(
                    "missing-attribute",
                    f"{spec.name} needs the attribute {a.name}, {a.constraint.description}",
                    notes=(a.doc,) if a.doc else (),
                )
            continue
        try:
            value = attributes[a.name]
        except TypeError:  # the bindings cannot hand out a location as an attribute; nothing of ours takes one
            yield Violation(
                "wrong-attribute", f"attribute {a.name} must be {a.constraint.description}, but is a location", a.name
            )
            continue
        if not a.constraint.accepts(value):
            yield Violation(
                "wrong-attribute", f"attribute {a.name} must be {a.constraint.description}, but is {value}", a.name
            )
    if len(operation.regions) != len(spec.regions):
        yield Violation(
            "wrong-region", f"{spec.name} has {len(operation.regions)} regions; {len(spec.regions)} are needed"
        )
        return
    for region, r in zip(operation.regions, spec.regions, strict=True):
        yield from _region(spec, region, r)


def _undeclared(spec: OpSpec, operation: ir.Operation) -> Iterator[Violation]:
    declared = [a.name for a in spec.attributes]
    for key in operation.attributes:
        if key in declared or "." in key or key in _SEGMENT_KEYS:
            continue
        import difflib  # only for a message: start-up does without it

        near = difflib.get_close_matches(key, declared, 1)
        known = f"it has {', '.join(declared)}" if declared else "it has none"
        hint = f"did you mean {near[0]}?" if near else f"{known}; a name with a dot, like my.{key}, is kept as it is"
        yield Violation("unknown-attribute", f"{spec.name} has no attribute {key}", key, (hint,))


PER_ELEMENT = "the op works on one element: put it into the body of a linalg.generic or linalg.map over the tensor"


def _types(
    spec: OpSpec, values: Sequence[ir.Value], specs: Sequence[ValueSpec], counts: Sequence[int], told: set[str]
) -> Iterator[Violation]:
    """Wrong types. ``told`` holds what was said of fields that must agree: one wrong type is one message, not three."""
    at = 0
    for s, count in zip(specs, counts, strict=True):
        for k in range(count):
            value_type = values[at + k].type
            if not s.constraint.accepts(value_type):
                if any(s.name in group for group in spec.same_types):
                    if str(value_type) in told:
                        continue
                    told.add(str(value_type))
                where = f"{s.name}[{k}]" if s.arity is Arity.VARIADIC else s.name
                element = getattr(value_type, "element_type", None)
                apart = (PER_ELEMENT,) if element is not None and s.constraint.accepts(element) else ()
                yield Violation(
                    "type-mismatch",
                    f"type of {where} must be {s.constraint.description}, but is {value_type}",
                    f"type({where})",
                    apart,
                )
        at += count


def _region(spec: OpSpec, region: ir.Region, r: RegionSpec) -> Iterator[Violation]:
    blocks = list(region.blocks)
    if not blocks:
        if not r.optional:
            yield Violation("wrong-region", f"region {r.name} of {spec.name} is empty", r.name)
        return
    if len(blocks) > r.max_blocks:
        yield Violation(
            "wrong-region", f"region {r.name} has {len(blocks)} blocks; at most {r.max_blocks} may be there", r.name
        )
    if r.args is not None:
        yield from _region_arguments(r, blocks[0].arguments, r.args)
    if r.terminator is None:
        return
    for block in blocks:
        ops = list(block.operations)
        if not ops or ops[-1].operation.name != r.terminator:
            last = f", but ends with {ops[-1].operation.name}" if ops else ", but is empty"
            yield Violation(
                "wrong-region", f"region {r.name} of {spec.name} must end with {r.terminator}{last}", r.name
            )


def _region_arguments(
    r: RegionSpec, arguments: Sequence[ir.Value], wanted: Sequence[Constraint]
) -> Iterator[Violation]:
    if len(arguments) != len(wanted):
        yield Violation(
            "wrong-region", f"region {r.name} has {len(arguments)} block arguments; {len(wanted)} are needed", r.name
        )
        return
    for k, (argument, constraint) in enumerate(zip(arguments, wanted, strict=True)):
        if not constraint.accepts(argument.type):
            yield Violation(
                "type-mismatch",
                f"block argument {k} of region {r.name} must be {constraint.description}, but is {argument.type}",
                r.name,
            )


def _same_types(op: Op) -> Iterator[Violation]:
    for group in op.spec.same_types:
        yield from _same(op, group)


def _same(op: Op, group: Sequence[str]) -> Iterator[Violation]:
    """Members that are present have one type; the first one that differs is marked."""
    types: list[tuple[str, Any]] = []
    for name in group:
        member = getattr(op, name)
        for value in member if isinstance(member, list) else [member]:
            if value is not None:
                types.append((name, value.type))
    for name, value_type in types[1:]:
        if value_type != types[0][1]:
            yield Violation(
                "type-mismatch",
                f"{types[0][0]} and {name} must have one type, but are {types[0][1]} and {value_type}",
                f"type({name})",
            )
            return
