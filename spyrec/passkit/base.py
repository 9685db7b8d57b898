"""What a pass is, and what it is given.

A pass is one file in ``passes/``: ``passes/resolve_views.py`` holds ``class ResolveViews(Pass)``, which is
``--resolve-views`` on the command line, ``resolve-views`` in a pipeline and ``test/Passes/resolve-views/``. No list
names it.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from spyrec.passkit import options
from spyrec.passkit.analyses import Analyses, Kept

if TYPE_CHECKING:
    from spyrec import diag
    from spyrec.device.model import Device
    from spyrec.mlir import ir


@dataclass
class PassContext:
    """What the passes of one pipeline run share.

    ``context`` is the MLIR context of the module; ``sink`` takes diagnostics (the driver stops after the first pass
    that reported an error, when that pass is through); ``load_device`` reads the device when the first pass asks for
    it; ``statistics`` counts for the running pass. :meth:`counted` gives what a pass counted over all ops it ran on.
    ``analyses`` are results of earlier passes that still hold.
    """

    context: ir.Context
    sink: diag.Sink
    load_device: Callable[[], Device]
    statistics: Counter[str] = field(default_factory=Counter)
    analyses: Analyses = field(default_factory=Analyses)
    _counted: dict[int, Counter[str]] = field(default_factory=dict)

    @cached_property
    def device(self) -> Device:
        """The device that is compiled for."""
        return self.load_device()

    def begin(self, instance: Pass) -> None:
        """``instance`` runs from here on: ``statistics`` are its."""
        self.statistics = self._counted.setdefault(id(instance), Counter())

    def counted(self, instance: Pass) -> Counter[str]:
        """What ``instance`` (one place of a pipeline, not all passes of its class) counted so far."""
        return self._counted.get(id(instance), Counter())


class Pass:
    """Base of all passes. Subclasses are dataclasses; fields made with :func:`spyrec.passkit.option` are the options.

    A pass never changes what the program computes, is idempotent, and refuses by reporting to ``ctx.sink`` (with an id
    of ``diag.IDS``) or by raising a :class:`spyrec.errors.SpyrecError`; any other exception is a bug of the pass.
    """

    NAME: ClassVar[str] = ""
    """The name in pipelines and on the command line; derived from the class's name."""

    anchor: ClassVar[str] = "func.func"
    """The op that :meth:`run` is given: ``func.func`` (then it must not look outside) or ``builtin.module``."""

    optional: ClassVar[bool] = False
    """An optimisation: a compilation may leave it out, and every result stays the same."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls.NAME = kebab(cls.__name__)

    def run(self, op: ir.Operation, ctx: PassContext) -> Kept:
        """Transform ``op`` in place. ``ctx.context`` is current; a location is not, so that none is forgotten.

        Returns the kinds of ``ctx.analyses`` that still hold of ``op``: ``UNCHANGED`` where it is what it was, those
        that the pass has kept up, or None, for none.
        """
        raise TypeError(f"pass {type(self).__name__} has no run()")

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring."""
        return (inspect.getdoc(cls) or "").partition("\n")[0]

    @classmethod
    def from_options(cls, text: str) -> Self:
        """Make the pass from the text between the braces of ``name{...}``. Raises UsageError."""
        return cls(**options.parse_options(cls, cls.NAME, text))

    def spelling(self) -> str:
        """The pass as a pipeline element, with the options that are not defaults."""
        return self.NAME + options.print_options(self)


def kebab(class_name: str) -> str:
    """``ResolveViews`` -> ``resolve-views``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", class_name).lower()


def camel(name: str) -> str:
    """``resolve-views`` or ``resolve_views`` -> ``ResolveViews``."""
    return "".join(part[:1].upper() + part[1:] for part in re.split("[-_]", name))
