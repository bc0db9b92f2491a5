"""The history of a force element: forces, deformations, states and energies over time, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing
from fem.common.known_attributes import KnownAttributes
from fem.common.names import with_match


class Peak(NamedTuple):
    """The largest force or moment of a run, N or N m, and its time, s."""

    force: float
    t: float


#: of the six deformations between two frames
COMPONENTS = ("x", "y", "z", "about x", "about y", "about z")


@dataclass(frozen=True, eq=False, repr=False)
class ElementHistory(KnownAttributes):
    """The history of a spring or force element, (nt,), or (nt, 6) between two frames; SI units.

    Attributes
    ----------
    force : numpy.ndarray
        Force, positive against a growing deformation. Of an element between two frames, such as a bushing: the forces
        along the axes, N, and the moments about them, Nm, ``force[:, :3]`` and ``force[:, 3:]``.
    deformation, rate : numpy.ndarray
        Deformation and its rate, as the geometry of the element defines them.
    state : numpy.ndarray
        States of the force law, (nt, n). For friction that depends on a reaction: the normal force "normal", N (for an
        angle times its radius, Nm).
    stored : numpy.ndarray
        Stored energy, (nt,), J.
    dissipated, input : numpy.ndarray
        Dissipated power and input power, (nt,), W.
    first, second : numpy.ndarray
        Loads of the element on the bodies at its ends, inertial components, (nt, 6): the force, N, ``second[:, :3]``,
        and the moment about the end, Nm, ``second[:, 3:]``.
    t : numpy.ndarray
        Times, (nt,), s.
    name : str
        Name of the element.
    is_angle : bool
        Whether the deformation is an angle.
    states : tuple of (str, str)
        Name and unit of each state.
    peak : Peak or None
        The largest force in size at all steps of the integrator, and between those of :class:`flexbody.Explicit`, with
        its sign, ``peak.force``, N or Nm, and its time, ``peak.t``, s. It may lie between stored states, as that of a
        blow does. Of an element between two frames it is the size of the force, of many contacts and surfaces that of
        the largest force on one of the shapes. None where the run has not kept it, as :func:`flexbody.kinematics`, and
        of controllers that act on several places.
    peak_moment : Peak or None
        The same of the moment of an element between two frames, ``peak_moment.force``, Nm; None of others.

    Notes
    -----
    ``history["pressure"]`` gives each of these, and each state, by its name; :attr:`units` lists all names.

    Examples
    --------
    >>> import flexbody as fb
    >>> mass = fb.RigidBody("mass", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    >>> guide = fb.Prismatic("guide", fb.GROUND, mass, point=(0, 0, 0), axis="z")
    >>> spring = fb.SpringDamper("spring", fb.GROUND, mass, stiffness=500.0, first_point=(0, 0, 1))
    >>> state = fb.equilibrium(fb.System([mass], [guide], [spring], gravity=(0, 0, -9.81)))
    >>> state.result.element("spring").force.round(6)
    array([9.81])
    """

    force: np.ndarray
    deformation: np.ndarray
    rate: np.ndarray
    state: np.ndarray
    stored: np.ndarray
    dissipated: np.ndarray
    input: np.ndarray
    first: np.ndarray
    second: np.ndarray
    t: np.ndarray
    name: str
    is_angle: bool = False
    states: tuple[tuple[str, str], ...] = ()  # name and unit of each
    peak: Peak | None = None
    peak_moment: Peak | None = None

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self.t)} times of {', '.join(self.units)}>"

    @property
    def units(self) -> dict[str, str]:
        """Units by name: force, deformation, rate, the states of the law, stored, dissipated, input.

        For an element between two frames the first three have two units: along its axes and about them.
        """
        energies = {"stored": "J", "dissipated": "W", "input": "W"}
        if self.force.ndim == 2 and self.force.shape[1] == 0:  # of many contacts
            return energies
        six = self.force.ndim == 2
        force, length = ("N, N m", "m, rad") if six else ("N m", "rad") if self.is_angle else ("N", "m")
        rate = "m/s, rad/s" if six else f"{length}/s"
        of_states = dict(self.states)
        return {"force": force, "deformation": length, "rate": rate, **of_states, **energies}

    @property
    def shown(self) -> tuple[str, ...]:
        """Names of what a table or plot of the element shows by default."""
        return ("force",)

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """The states of the law by name, each (nt,)."""
        return {name: self.state[:, k] for k, (name, _) in enumerate(self.states)}

    def _no_attribute(self, name: str) -> str:
        six = np.ndim(self.__dict__.get("force", 0.0)) == 2
        more = "; force, first and second hold the moments too: second[:, 3:]" if six else ""
        return f"{super()._no_attribute(name)}{more}"

    @check_arguments
    def __getitem__(self, what: str) -> np.ndarray:
        if what in self.columns:
            return self.columns[what]
        if what not in self.units:
            raise InputError(
                f"'{self.name}' has no {with_match(what, self.units)}; it has {listing(self.units)}"
            )
        return getattr(self, what)
