"""The base class of all forces of a system, and the questions that every force answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

from ..joints.base import Interaction, Joint, Term
from ..sides import Body, FrameData, Side


class TimeFunction(NamedTuple):
    """The function of time in a force.

    Parameters
    ----------
    what : str
        Name of its compiled function, :attr:`flexbody.functions.time_law.Law.what`.
    size : int
        Number of its values: 1 or 3.
    unit : str
        Unit of its values.
    """

    what: str
    size: int
    unit: str


class Force(Interaction):
    """An entry of ``System(forces=[...])``; base class of :class:`Load` and :class:`Element`."""

    name: str
    #: What a plot of the force alone shows: the name of a reader in :mod:`flexbody.results.tables`.
    default_quantity: ClassVar[str]

    @property
    def label(self) -> str:
        """Kind and name of this force, for messages."""
        return f"{type(self).__name__} '{self.name}'"

    @property
    def where_it_is_read(self) -> str:
        """How a result gives the force, for messages."""
        raise NotImplementedError

    @property
    def unit(self) -> str:
        """Unit of the force."""
        raise NotImplementedError

    @property
    def coordinate(self) -> tuple[Joint, str] | None:
        """The joint and the name of the joint coordinate that the force acts along, or None."""
        return None

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the input channels that the force has in a linearised machine; empty if it can't be an input."""
        return ()

    @property
    def why_no_input(self) -> str:
        """Why the force has no input channels, as the end of a sentence; "" if it has some."""
        return ""

    def sides(self) -> tuple[Side, ...]:
        """Return the sides that the force acts on.

        Returns
        -------
        tuple
            One side of a load, two of an element.
        """
        raise NotImplementedError

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, ...]:
        """Return the frames that the force acts on.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        tuple of FrameData
            One frame of a load, two of an element.
        """
        raise NotImplementedError

    def uses(self) -> tuple[Term, ...]:
        """Return the joint coordinate that the force acts along, if there is one."""
        return () if self.coordinate is None else (Term(*self.coordinate),)

    def joint_problems(self, joints: Mapping[str, Joint]) -> list[str]:
        """Return the problems of this force along the joint of that name in a system as sentences."""
        used = [joints[term.joint.name] for term in self.uses()]
        return super().joint_problems(joints) or [
            p for joint in used for p in self.with_joint(joint).problems()
        ]

    def stands_for(self) -> tuple[Interaction, ...]:
        """Return the constraints in whose place this force acts; a system must not hold them as well.

        Returns
        -------
        tuple of Gear or Rack
            The constraints; empty for most forces.
        """
        return ()

    def force_problems(self, forces: Mapping[str, Force]) -> list[str]:
        """Return as sentences what is wrong with the other forces that this one needs.

        Parameters
        ----------
        forces : mapping of str to Force
            The forces of the system by name.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        return []

    def obstacle(self, verb: str) -> str:
        """Return why an analysis can't take this force, as a sentence.

        Parameters
        ----------
        verb : str
            Name of the analysis: "equilibrium", "kinematics" or "elastodynamics".

        Returns
        -------
        str
            The reason; "" if it can.
        """
        return ""

    def with_joint(self, joint: Joint) -> Force:
        """Return this force along the coordinate of another joint; itself if it acts along none.

        Parameters
        ----------
        joint : Joint
            The joint.

        Returns
        -------
        Force
            The force.
        """
        return self

    def time_function(self, bodies: Mapping[str, Body]) -> TimeFunction | None:
        """Return the function of time in the force, or None if it has none.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        TimeFunction or None
            Name, size and unit of the function.
        """
        return None

    def angles(self) -> tuple[tuple[str, float], ...]:
        """Return the fields of the force that are angles, with their names.

        Returns
        -------
        tuple of (str, float)
            Name and value (rad) of each.
        """
        return ()

    def problems(self) -> list[str]:
        """Return the problems of this force as sentences.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        raise NotImplementedError

    def frame_problems(self, bodies: Mapping[str, Body]) -> list[str]:
        """Return the problems of this force on the bodies of a system as sentences.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        return []
