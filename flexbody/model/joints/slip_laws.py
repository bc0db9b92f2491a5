"""Laws of the forces between surfaces that roll on each other with slip."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from fem.common.numbers import is_number
from fem.common.signatures import Described
from fem.common.values import NotNegative, Positive


class SlipLaw(Described):
    """The forces against the slip of two surfaces that roll; base class of :class:`Coulomb` and :class:`Creep`."""

    @property
    def sticks(self) -> bool:
        """Whether surfaces at rest hold on to each other by bristles, which are states."""
        return False

    @abstractmethod
    def numbers(self) -> list[float]:
        """Return the numbers of the law for the compiled core, of which the first is its kind.

        Returns
        -------
        list of float
            The numbers; their columns are in ``core/kinds.py``, SLIP_LAW and from SLIP_NUMBERS on.
        """

    @abstractmethod
    def problems(self, label: str) -> list[str]:
        """Return the problems of this law as sentences.

        Parameters
        ----------
        label : str
            Name of the contact in messages.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """


@dataclass(frozen=True, eq=False)
class Coulomb(SlipLaw):
    """Coulomb friction between surfaces that roll, whose normal force is the reaction of their contact.

    Parameters
    ----------
    mu : float
        Coefficient of sliding friction.
    mu_static : float, optional
        Coefficient of static friction; by default equal to ``mu``.
    stribeck_velocity : float, optional
        Slip at which the difference between static and sliding friction has fallen to 1/e, m/s.
    regularisation_velocity : float, optional
        Slip at which friction reaches 76 % of its full value, m/s; surfaces that roll still slip more slowly than this,
        without ``presliding``.
    presliding : float, optional
        Displacement in which the friction of surfaces that stick builds up, m, such as 1e-6: they do not creep then,
        see :class:`Contact`. By default friction has no memory.

    Notes
    -----
    With the normal force N and the slip s, whose direction the force is opposed to::

        F = N (mu + (mu_static - mu) exp(-(s/v_stribeck)^2)) tanh(s/v_regularisation)

    as for :class:`Contact` and :class:`BearingFriction`. Nothing resists spin, the rotation about the normal.

    Examples
    --------
    >>> import flexbody as fb
    >>> ball = fb.RigidBody("ball", mass=1.0, inertia=(4e-3, 4e-3, 4e-3), center=(0, 0, 0.1))
    >>> lane = fb.Rolling("lane", fb.Plane(fb.GROUND), fb.Sphere(ball, 0.1), slip=fb.Coulomb(mu=0.2))
    """

    mu: Annotated[float, NotNegative]
    _: KW_ONLY
    mu_static: float | None = None
    stribeck_velocity: Annotated[float, Positive] = 1e-2
    regularisation_velocity: Annotated[float, Positive] = 1e-3
    presliding: Annotated[float, Positive] | None = None

    @property
    def sticks(self) -> bool:
        """Whether surfaces at rest hold on to each other by bristles, which are states."""
        return self.presliding is not None

    def numbers(self) -> list[float]:
        """Return 0, the five numbers of friction, and the displacement where it sticks."""
        static = self.mu if self.mu_static is None else self.mu_static
        friction = (self.mu, static, self.stribeck_velocity, 0.0, self.regularisation_velocity)
        return [0.0, *map(float, friction), *([] if self.presliding is None else [float(self.presliding)])]

    def problems(self, label: str) -> list[str]:
        """Return the problems of this law as sentences."""
        positive = ("stribeck_velocity", "regularisation_velocity", *(("presliding",) if self.sticks else ()))
        found = _wrong_numbers(self, label, positive, ("mu",))
        static = self.mu_static
        if static is not None and is_number(self.mu) and not (is_number(static) and static >= self.mu):
            found.append(
                f"{label}: mu_static is {static!r}; it must be at least mu, {self.mu!r}, or be left out"
            )
        return found


@dataclass(frozen=True, eq=False)
class Creep(SlipLaw):
    """Creep between an elastic wheel and its rail or road: forces that grow with the creepages, at most friction.

    Parameters
    ----------
    longitudinal, lateral : float
        Coefficients f_11 and f_22 of the creepages along and across the direction of rolling, N.
    mixed : float, optional
        Coefficient f_23 of the lateral force by the spin, Nm.
    spin : float, optional
        Coefficient f_33 of the moment about the normal by the spin, Nm^2.
    mu : float, optional
        Coefficient of friction, which limits the forces; by default the law is linear without a limit.
    least_speed : float, optional
        Speed of rolling below which the forces no longer depend on it, m/s: a wheel at rest is held as by a damper.

    Notes
    -----
    Creepages are the slip (m/s) and the spin (rad/s) over the speed of rolling V: ``xi = s / V``, ``phi = w / V`` [1]_.
    V is the mean speed of both surfaces against the middle of the wheel along the direction of rolling, and not below
    ``least_speed``: sqrt(V^2 + least_speed^2). The linear forces against the slip are ::

        F_x = f_11 xi_x,  F_y = f_22 xi_y + f_23 phi,  M = f_33 phi - f_23 xi_y

    With ``mu`` they are all multiplied by ``k = 1 - b/3 + b^2/27`` where ``b = sqrt(F_x^2 + F_y^2) / (mu N)`` is below
    3, else by ``1/b`` [2]_, so that the resultant force approaches ``mu N``; N is the reaction of the contact. Without
    spin this is the law of Vermeulen and Johnson. For two bodies of steel with the shear modulus G and the half axes a,
    b of the contact Kalker's coefficients are ``f_11 = a b G C_11``, ``f_22 = a b G C_22``, ``f_23 = (a b)^1.5 G C_23``
    and ``f_33 = (a b)^2 G C_33``.

    References
    ----------
    .. [1] J. J. Kalker, On the rolling contact of two elastic bodies in the presence of dry friction, Delft University
       of Technology, 1967.
    .. [2] Z. Y. Shen, J. K. Hedrick, J. A. Elkins, "A comparison of alternative creep force models for rail vehicle
       dynamic analysis", Vehicle System Dynamics 12 (1983) 79; P. J. Vermeulen, K. L. Johnson, "Contact of nonspherical
       elastic bodies transmitting tangential forces", J. Appl. Mech. 31 (1964) 338.

    Examples
    --------
    >>> import flexbody as fb
    >>> body = fb.RigidBody("wheel", mass=500.0, inertia=(30.0, 60.0, 30.0), center=(0, 0, 0.46))
    >>> creep = fb.Creep(longitudinal=5e6, lateral=4e6, mu=0.3)
    >>> rail = fb.Rolling("rail", fb.Plane(fb.GROUND), fb.Wheel(body, 0.46, axis="y"), slip=creep)
    """

    longitudinal: Annotated[float, NotNegative]
    lateral: Annotated[float, NotNegative]
    _: KW_ONLY
    mixed: float = 0.0
    spin: Annotated[float, NotNegative] = 0.0
    mu: float | None = None
    least_speed: Annotated[float, Positive] = 1e-2

    def numbers(self) -> list[float]:
        """Return 1 and the six numbers of creep."""
        mu = 0.0 if self.mu is None else self.mu
        given = (self.longitudinal, self.lateral, self.mixed, self.spin, mu, self.least_speed)
        return [1.0, *map(float, given)]

    def problems(self, label: str) -> list[str]:
        """Return the problems of this law as sentences."""
        found = _wrong_numbers(self, label, ("least_speed",), ("longitudinal", "lateral", "spin"))
        if not is_number(self.mixed):
            found.append(f"{label}: mixed is {self.mixed!r}; it must be a number")
        if self.mu is not None and not (is_number(self.mu) and self.mu > 0):
            found.append(
                f"{label}: mu is {self.mu!r}; it must be a number above zero, or be left out for no limit"
            )
        return found


def _wrong_numbers(
    law: SlipLaw, label: str, positive: Sequence[str], not_negative: Sequence[str]
) -> list[str]:
    """Return as sentences which fields are not numbers in their range."""
    found = []
    for name in (*positive, *not_negative):
        value = getattr(law, name)
        if not (is_number(value) and (value > 0 if name in positive else value >= 0)):
            limit = "above zero" if name in positive else "not below zero"
            found.append(f"{label}: {name} is {value!r}; it must be a number {limit}")
    return found
