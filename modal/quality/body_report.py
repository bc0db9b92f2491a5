"""The report of a reduced body: what it is, and how well it represents the structure that it was made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

import fem
from fem.common.errors import listing

from ..body.reduced_body import ReducedBody
from .report import judge


def judged(
    body: ReducedBody, structure: fem.Structure, interfaces: Sequence[str] | None = None, n: int = 8
) -> ReducedBody:
    """Return the body with :func:`modal.judge`'s findings, which its report and its file then hold."""
    return replace(body, judgement=tuple(judge(structure, body, interfaces, n).lines()))


def report(body: ReducedBody, structure: fem.Structure | None = None) -> str:
    """Return what the body is, and how good: size, frame, frequencies, markers, notes, and the judgement.

    With the ``structure`` that it was made from the body is judged first (:func:`modal.judge`, which takes about
    twice the time of the reduction): frequencies against the full model with the interfaces free and held, static
    errors, effective masses, rigid against averaged interfaces. Without, what :meth:`judged` kept is told.
    """
    if structure is not None:
        return report(judged(body, structure))
    frequencies = ", ".join(f"{value:.5g}" for value in body.frequencies_hz[:8])
    more = ", ..." if body.N > 8 else ""
    judgement = body.judgement
    if not judgement and "mesh" in body.provenance:
        judgement = (
            "  against the full model: not judged; report(structure) does, judged(structure) keeps it",
        )
    lines = [
        f"{body.name}: {body.N} base functions, {body.mass:.6g} kg, frame {body.frame}",
        f"  frequencies [Hz]: {frequencies}{more}",
        f"  markers: {listing(body.markers)}",
        f"  geometric stiffening: {_stiffening_words(body)}",
        *(f"  {key}: {value}" for key, value in body.provenance.items()),
        *(f"  {note}" for note in body.notes),
        *judgement,
    ]
    return "\n".join(lines)


def _stiffening_words(body: ReducedBody) -> str:
    if body.axial is not None:
        return f"by the axial force of {body.axial.n} axial mode{'s' * (body.axial.n > 1)}"
    if not body.stiffened:
        return "none (linear theory)" if body.mean else "none: it needs the mean-displacement frame"
    terms = [G for m in body.markers.values() for G in (m.GF, m.GM) if G is not None]
    present = sum(int(np.any(G_k)) for G in terms for G_k in G)
    return f"centrifugal terms, and {present} of {3 * len(terms)} unit loads of markers have terms"
