"""The interface of all formulations of the equations of motion."""

from __future__ import annotations

from typing import Any, Protocol

from .instant import InstantEquations
from .readers import StateReaders
from .time_loops import TimeLoops


class Formulation(InstantEquations, StateReaders, TimeLoops, Protocol):
    """A way to write the equations of motion; the plan of a machine holds it as ``plan.formulation``.

    It joins three interfaces, by who asks: :class:`InstantEquations` (starts, equilibria, linearizations),
    :class:`StateReaders` (results), :class:`TimeLoops` (integrators).

    In the words of the global description, ``M vdot + bias + G^T lambda = loads`` and ``Phi = 0``, Koppens (4.20).

    Every method takes the compiled machine ``L`` and working arrays ``W``. Those that evaluate one instant leave what
    they find in ``W`` (:class:`flexbody.core.structures.Work`); the others fill arrays of the caller (``out``, ...).

    Notes
    -----
    Sizes: ``nb`` bodies, ``na`` modal coordinates, ``nv = 6 nb + na`` generalized velocities, ``nr`` constraint rows,
    ``m`` rows and deformations, ``nf`` frames, ``nz`` states of force laws, ``nt`` times.

    Coordinates: in every formulation a :class:`MachineState` holds positions ``c`` (nb, 3), m, Euler parameters ``q``
    (nb, 4) and modal coordinates ``all_alpha`` (na,). ``v`` (nv,) contains for each body dc/dt (inertial), m/s, omega
    (in components of the body), rad/s, and dalpha/dt. Results, files and readers use these numbers. A formulation with
    coordinates of its own keeps them to itself.

    Units: forces on generalized velocities (nv,) are N, Nm, and J per unit of a modal coordinate. Constraint rows are
    scaled to metres; multipliers (nr,) belong to the scaled rows.
    """

    def check(self, machine: Any) -> None:
        """Raise :class:`fem.InputError` if this description can't describe a machine.

        Parameters
        ----------
        machine : System
            The machine.
        """

    def bound(self, trees: Any) -> Formulation:
        """Return this description for one machine.

        Parameters
        ----------
        trees : flexbody.compile.trees.Trees
            Makes trees of the machine.

        Returns
        -------
        Formulation
            The description, which may hold arrays of the machine.

        Raises
        ------
        fem.InputError
            It can't describe this machine.
        """

    def unbound(self) -> Formulation:
        """Return this description as a user gives it, without arrays of a machine.

        Returns
        -------
        Formulation
            The description, with names of bodies and joints.
        """
