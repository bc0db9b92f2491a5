"""The events of a run in its file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from ..results.occurrences import Occurrence
from ..results.record import Record
from .datasets import put

if TYPE_CHECKING:
    import h5py

#: When (s) and where drives went on that were switched on, by their names.
Switched = Mapping[str, Sequence[tuple[float, float]]]


def event_text(event: Occurrence, number: int, switched: Switched) -> str:
    """Return an event as text, for the file of a run in progress.

    Parameters
    ----------
    event : Occurrence
        The event.
    number : int
        Number of the state behind it, among all that were written.
    switched : mapping
        The times (s) and coordinates at which drives went on so far, by their names.
    """
    return json.dumps({**asdict(event), "number": number, "switched": switched})


def events_of(
    texts: Sequence[str], kept: np.ndarray, switched: Switched
) -> tuple[tuple[Occurrence, ...], Switched]:
    """Return the events of texts, and when and where drives went on.

    Parameters
    ----------
    texts : sequence of str
        Those of :func:`event_text`.
    kept : numpy.ndarray
        For each written state whether it holds, (n,); the events of others have been taken back.
    switched : mapping
        When and where drives went on before the first event.
    """
    events, rows = [], np.cumsum(kept) - 1
    for text in texts:
        one = json.loads(text)
        number, then = one.pop("number"), one.pop("switched")
        if not (number < len(kept) and kept[number]):
            continue
        switched = then
        on, off = tuple(one.pop("on")), tuple(one.pop("off"))
        events.append(Occurrence(**{**one, "row": int(rows[number])}, on=on, off=off))
    return tuple(events), switched


def put_events(file: h5py.File, record: Record) -> None:
    """Write the events of a run and what was off when it began; nothing if there are none."""
    if not record.events and not record.switched_off:
        return
    import h5py

    group = file.create_group("events")
    group.attrs["switched_off"] = json.dumps(record.switched_off)
    put(group, "time", np.array([event.t for event in record.events]), "s")
    put(group, "row", np.array([event.row for event in record.events], dtype=np.int64), "1")
    texts = {
        "name": [event.name for event in record.events],
        "what": [event.what for event in record.events],
        "on": [json.dumps(event.on) for event in record.events],
        "off": [json.dumps(event.off) for event in record.events],
    }
    for name, values in texts.items():
        group.create_dataset(name, data=values, dtype=h5py.string_dtype(), shape=(len(values),))


def read_events(file: h5py.File) -> tuple[tuple[Occurrence, ...], tuple[str, ...]]:
    """Return the events of a run, and the names of what was off when it began."""
    if "events" not in file:
        return (), ()
    group = file["events"]
    columns = [group["name"].asstr()[...], group["time"][...], group["what"].asstr()[...], group["row"][...]]
    switched = [[tuple(json.loads(one)) for one in group[name].asstr()[...]] for name in ("on", "off")]
    events = tuple(
        Occurrence(str(name), float(t), str(what), int(row), on, off)
        for name, t, what, row, on, off in zip(*columns, *switched, strict=True)
    )
    return events, tuple(json.loads(group.attrs["switched_off"]))
