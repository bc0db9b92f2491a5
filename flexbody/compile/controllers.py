"""The signals of controllers as flat arrays: what they measure, and their outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..model.forces.wiring import Wiring


class Signals:
    """The places of the signals of controllers in ``Work.signal``.

    Parameters
    ----------
    wirings : mapping of str to Wiring
        The controllers that measure or act anywhere, by name.

    Attributes
    ----------
    size : int
        Number of all signals.
    at : dict of str to int
        Of each controller by name the place of its first measurement; its outputs follow the measurements.
    """

    def __init__(self, wirings: Mapping[str, Wiring]) -> None:
        self.size, self.at, self._wirings = 0, dict[str, int](), wirings
        # of elements by name: the signals that are the inputs of their laws
        self._inputs: dict[str, int] = {}
        for name, wiring in wirings.items():
            self.at[name] = self.size
            self.size += len(wiring.inputs)
            for place in wiring.outputs:
                if place.input_of:
                    self._inputs[place.input_of] = self.size
                self.size += 1

    def input_of(self, name: str) -> int:
        """Return the place of the signal that is the input of an element, -1 for none."""
        return self._inputs.get(name, -1)

    def numbers(self, name: str, first: int, find: Callable[[Any, str], int]) -> list[float]:
        """Return the numbers of a controller that stand before those of its law, see ``controllers.hpp``.

        ``first`` is its first frame; ``find`` returns the number of a joint coordinate. None for other elements.
        """
        if name not in self._wirings:
            return []
        wiring = self._wirings[name]
        out = [len(wiring.inputs), len(wiring.outputs), self.at[name], wiring.held, *wiring.targets]
        frame = first + 2
        for place in (*wiring.inputs, *wiring.outputs):
            ends = (frame, frame + 1) if place.n_frames else (first, first)
            found = -1 if place.term is None else find(place.term.joint, place.term.which)
            out += [place.kind, *ends, found, place.is_rate, place.zero]
            frame += place.n_frames
        return [float(x) for x in out]
