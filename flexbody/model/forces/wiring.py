"""What the compiled core must know of a controller, as a value."""

from __future__ import annotations

from typing import Any, NamedTuple


class PlaceData(NamedTuple):
    """A place of a controller.

    Parameters
    ----------
    kind : int
        Kind of the place in the compiled core.
    n_frames : int
        Number of its frames: none, or two.
    term : Term or None
        The joint coordinate that it is.
    is_rate : bool
        Whether its rate is measured.
    zero : float
        The value that counts as zero.
    input_of : str or None
        Name of the element whose input it is.
    """

    kind: int
    n_frames: int
    term: Any
    is_rate: bool
    zero: float
    input_of: str | None


class Wiring(NamedTuple):
    """What a controller measures and acts on.

    Parameters
    ----------
    inputs, outputs : tuple of PlaceData
        The places.
    targets : list of float
        The targets of the inputs.
    held : bool
        Whether the outputs are held between samples.
    """

    inputs: tuple[PlaceData, ...]
    outputs: tuple[PlaceData, ...]
    targets: list[float]
    held: bool
