"""Couplings of joint coordinates: linear combinations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from fem.common.errors import called
from fem.common.numbers import is_number
from fem.common.short_repr import short_repr

from ...functions.prescribed_motion import Motion, Prescribed
from .base import Connection, Joint, Term
from .rows import SUM

#: A term as a user gives it: joint and factor, or joint, name of the coordinate and factor.
Given = tuple[Joint, float] | tuple[Joint, str, float]


class Coupling(Connection):
    """A constraint on a sum of joint coordinates; base class of :class:`Coupler`, :class:`Gear` and :class:`Rack`.

    A subclass gives the terms of its sum in :meth:`uses` and its own :meth:`problems`. By default the sum stays zero.
    """

    rows: ClassVar = SUM
    prescribed: ClassVar[Prescribed] = Prescribed(0.0)


@dataclass(frozen=True, eq=False)
class Coupler(Coupling):
    """A constraint on a linear combination of joint coordinates: ``sum_i factor_i coordinate_i = value``.

    Parameters
    ----------
    name : str
        Name of the coupling, unique in the system.
    terms : sequence of tuple
        ``(joint, factor)`` for a joint with one coordinate, ``(joint, name, factor)`` for a joint with several. If a
        sum mixes angles (rad) and lengths (m), its factors have units.
    value : float or callable, optional
        Value of the sum: a number or a function of time (s). The default 0 keeps the sum at its drawn value.
    velocity, acceleration : callable, optional
        First and second derivative of ``value``, as for a :class:`Drive`.

    Notes
    -----
    Angles are continuous over many revolutions. The terms may use joints between any bodies of the system. The
    reaction of a coupling is the load on the second body of the joint in the last term. ``result.reaction(coupler,
    body=...)`` gives the load on each body that the coupling acts on.

    Examples
    --------
    >>> import flexbody as fb
    >>> one, two = (fb.RigidBody(name, 1.0, (1e-3, 1e-3, 2e-3)) for name in ("one", "two"))
    >>> first = fb.Revolute("first", fb.GROUND, one, point=(0, 0, 0), axis="z")
    >>> second = fb.Prismatic("second", fb.GROUND, two, point=(0.3, 0, 0), axis="x")
    >>> cam = fb.Coupler("cam", [(first, 0.01), (second, -1.0)])  # slide = 0.01 m/rad * angle
    """

    name: str
    terms: Sequence[Given]
    _: KW_ONLY
    value: Motion = 0.0
    velocity: Callable[[float], float] | None = None
    acceleration: Callable[[float], float] | None = None

    __repr__ = short_repr

    def uses(self) -> tuple[Term, ...]:
        """Return the terms of the sum."""
        return tuple(_term(term) for term in self.terms)

    @property
    def prescribed(self) -> Prescribed:  # type: ignore[override]
        """The prescribed value of the sum."""
        return Prescribed(self.value, 0.0, self.velocity, self.acceleration)

    @property
    def given(self) -> str:
        """Name of the parameter that gives the prescribed value."""
        return "value"

    def problems(self) -> list[str]:
        """Return the problems of this coupling as sentences.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        if not isinstance(self.terms, Sequence) or not len(self.terms):
            return [
                f"{self.label}: terms is {self.terms!r}; it must be a list of (joint, factor) or (joint, name, factor)"
            ]
        found = [problem for term in self.terms for problem in self._term_problems(term)]
        found = found or twice(self.label, self.uses(), "add up the factors of its terms")
        return found or self.prescribed.problems(self.label, "value")

    def _term_problems(self, term: Given) -> list[str]:
        if not (isinstance(term, tuple | list) and len(term) in (2, 3) and isinstance(term[0], Joint)):
            return [
                f"{self.label}: a term is {called(term)}; it must be (joint, factor) or (joint, name, factor)"
            ]
        joint, factor = term[0], term[-1]
        if not is_number(factor) or not factor:
            return [
                f"{self.label}: the factor of {joint.label} is {factor!r}; it must be a number other than zero"
            ]
        return joint.which_problems(self.label, term[1] if len(term) == 3 else None)


def _term(term: Given) -> Term:
    which = term[1] if len(term) == 3 else next(iter(term[0].coordinates))
    return Term(term[0], which, float(term[-1]))


def twice(label: str, terms: Sequence[Term], mend: str) -> list[str]:
    """Return as sentences which coordinates a coupling contains twice: it would fix them or have no effect."""
    counts = Counter((term.joint.name, term.which) for term in terms)
    return [
        f"{label} contains {term.which} of {term.joint.label} twice and couples it to itself; {mend}"
        for term in {(term.joint.name, term.which): term for term in terms}.values()
        if counts[term.joint.name, term.which] > 1
    ]
