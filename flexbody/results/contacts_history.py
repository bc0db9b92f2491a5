"""The history of many contacts: loads on each shape, and where a surface is pressed."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np

from ..model.forces import Element
from ..model.forces.surface_contact import SurfaceContact
from .element_history import ElementHistory


@dataclass(frozen=True, eq=False, repr=False)
class ContactsHistory(ElementHistory):
    """The history of :class:`Contacts` or of a :class:`SurfaceContact`; SI units.

    Attributes
    ----------
    force_on : numpy.ndarray
        Force on each shape, inertial components, (nt, n, 3), N: on spheres and then others, on surface and shape.
    moment_on : numpy.ndarray
        Moment about the frame of each shape, (nt, n, 3), Nm; of a flexible surface about its first point.
    place : numpy.ndarray
        Where these frames are, (nt, n, 3), m.
    point : numpy.ndarray
        Where a surface is pressed, (nt, 3), m: the mean of the points that touch, each by its elastic force; the place
        of its frame where none does.

    Notes
    -----
    Stored energy and dissipated power are as in :class:`ElementHistory`. There are no deformations.
    """

    force_on: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 3)))
    moment_on: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 3)))
    place: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 3)))
    point: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))

    @property
    def units(self) -> dict[str, str]:
        """Units by name: also of the forces, moments, places and points."""
        return super().units | {"force_on": "N", "moment_on": "N m", "place": "m", "point": "m"}


def contacts_history(history: ElementHistory, element: Element, loads: np.ndarray) -> ContactsHistory:
    """Return the history of many contacts, from the loads of all frames.

    Parameters
    ----------
    history : ElementHistory
        Energies.
    element : Element
        The contacts.
    loads : numpy.ndarray
        Force, moment, place and pressed point of each frame, (nt, nf, 12).
    """
    force, moment, place = loads[..., :3], loads[..., 3:6], loads[..., 6:9]
    if isinstance(element, SurfaceContact):
        n = loads.shape[1] - 1  # frames of the surface
        arms = place[:, :n] - place[:, :1]
        about = (moment[:, :n] + np.cross(arms, force[:, :n])).sum(axis=1, keepdims=True)
        force = np.concatenate([force[:, :n].sum(axis=1, keepdims=True), force[:, n:]], axis=1)
        moment = np.concatenate([about, moment[:, n:]], axis=1)
        place = np.concatenate([place[:, :1], place[:, n:]], axis=1)
    own = {part.name: getattr(history, part.name) for part in fields(history)}
    return ContactsHistory(**own, force_on=force, moment_on=moment, place=place, point=loads[:, 0, 9:])
