"""What messages say of quantities of a run that were asked for in a wrong way: which name is meant, and of what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fem.common.errors import InputError, called, listing
from fem.common.names import nearest

from .record import Record

#: What each method of a result gives by name, in words, and what it is asked of.
MEANINGS = {
    "position": ("the position", "body"),
    "velocity": ("the velocity", "body"),
    "acceleration": ("the acceleration", "body"),
    "angular_velocity": ("the angular velocity", "body"),
    "angular_acceleration": ("the angular acceleration", "body"),
    "displacement": ("the displacement", "body"),
    "coordinate": ("the coordinates", "joint"),
    "coordinate_rate": ("the rates of the coordinates", "joint"),
    "coordinate_acceleration": ("the accelerations of the coordinates", "joint"),
    "alpha": ("the modal coordinates", "flexible body"),
    "alpha_dot": ("the rates of the modal coordinates", "flexible body"),
    "reaction": ("the reaction force", "joint"),
    "moment": ("the reaction moment", "joint"),
    "body_energy": ("the energies", "body"),
    "element": ("the force", "force element"),
}  # fmt: skip
#: What users and labels of plots call them.
SYNONYMS = {
    "reaction moment": "moment", "torque": "moment", "reaction force": "reaction", "force": "reaction",
    "speed": "velocity", "angular velocity": "angular_velocity", "angle": "coordinate",
    "coordinate rate": "coordinate_rate", "deflection": "displacement", "energies": "energy",
    "energy balance": "balance",
}  # fmt: skip
#: Least ratio of difflib between a text and the quantity that is suggested.
LEAST_RATIO = 0.75
#: Quantities of the whole machine.
WHOLE = ("energy", "balance")


def hint(record: Record, asked: str) -> str:
    """Return the quantity that is probably meant by a text, as a question with what exists; "" if none is near.

    Parameters
    ----------
    record : Record
        The run.
    asked : str
        What was asked for, such as "moment" or "reaction moment of hinge".
    """
    word = _meant(asked)
    if word in WHOLE:
        return f"did you mean {word!r}?"
    what, owner = MEANINGS.get(word, ("", ""))
    names = _owners(record, owner)
    if not names:
        return ""
    named = max((name for name in names if name.casefold() in asked.casefold()), key=len, default=names[0])
    kinds = {"body": "bodies", "flexible body": "flexible bodies"}.get(owner, f"{owner}s")
    article = "the" if len(names) == 1 else "a"
    return f"did you mean ({word!r}, {named!r}), {what} of {article} {owner}? There are the {kinds} {listing(names)}"


def graph_lists(record: Record, show: Any) -> list[list[Any]]:
    """Return the quantities of each graph as lists.

    Raises
    ------
    fem.InputError
        ``show`` is not a list, or has an empty list.
    """
    graphs = [x if isinstance(x, list) else [x] for x in show] if isinstance(show, list) else []
    if graphs and all(graphs):
        return graphs
    said = f"show is {called(show)}; give a list of quantities, one for each graph"
    known = (*_names(record), *WHOLE)
    if isinstance(show, tuple) or (isinstance(show, str) and show in known):
        said += f": show=[{called(show)}]"
    elif isinstance(show, str):
        near = nearest(show, known, LEAST_RATIO)
        meant = f"did you mean show=[{near[0]!r}]?" if near else hint(record, show)
        said = "; ".join(filter(None, [said, meant]))
    raise InputError(said)


def _meant(asked: str) -> str:
    """Return the name of a quantity that a text resembles or begins with, or ""."""
    text = asked.casefold().strip()
    known = {word: word for word in (*MEANINGS, *WHOLE)} | SYNONYMS
    begun = max((word for word in known if text.startswith(word)), key=len, default="")
    found = [begun] if begun else nearest(text, known, LEAST_RATIO)
    return known[found[0]] if found else ""


def _owners(record: Record, owner: str) -> list[str]:
    """Return the names of those that a quantity belongs to."""
    system = record.system
    owners: dict[str, Iterable[Any]] = {
        "body": system.bodies,
        "flexible body": (body for body in system.bodies if body.n_modes),
        "joint": [
            *system.proper_joints,
            *(item for item in system.joints if item not in system.proper_joints),
        ],
        "force element": system.elements,
    }
    return [item.name for item in owners.get(owner, ())]


def _names(record: Record) -> list[str]:
    """Return the names of all bodies, joints and forces."""
    system = record.system
    items: list[Any] = [*system.bodies, *system.joints, *system.forces]
    return [item.name for item in items]
