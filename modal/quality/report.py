"""The report of a reduced body: its size and frequencies, and its accuracy against the full model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy

import fem
from fem.common.arguments import check_arguments
from fem.common.errors import listing

from ..body.reduced_body import ReducedBody
from .accuracy import accuracy


@check_arguments
def with_accuracy(
    body: ReducedBody, structure: fem.Structure, *, interfaces: str | Sequence[str] | None = None, n: int = 8
) -> ReducedBody:
    """Return the body with the findings of :func:`modal.accuracy`, which its report and its file then contain.

    Parameters
    ----------
    structure : fem.Structure
        The structure from which the body was reduced.
    interfaces : sequence of str, optional
        Interfaces to load and hold; by default those of the basis.
    n : int
        Number of frequencies to compare.

    Returns
    -------
    ReducedBody
        The same body with ``accuracy`` set.

    Raises
    ------
    InputError
        As for :func:`modal.accuracy`.
    """
    return replace(body, accuracy=tuple(accuracy(structure, body, interfaces=interfaces, n=n).lines()))


@check_arguments
def report(body: ReducedBody, structure: fem.Structure | None = None) -> str:
    """Return a text with the body's size, frame, frequencies, markers, notes and accuracy.

    Parameters
    ----------
    structure : fem.Structure, optional
        The structure from which the body was reduced. The body is then compared with it first (:func:`modal.accuracy`,
        which takes about twice the time of the reduction): frequencies of the full model with the interfaces free and
        held, static errors, effective masses, rigid against averaged interfaces. Without it, the report contains the
        findings that :meth:`with_accuracy` has kept.

    Returns
    -------
    str
        Several lines of text.

    Raises
    ------
    InputError
        The body was made from another structure, or was turned since.
    """
    if structure is not None:
        return report(with_accuracy(body, structure))
    frequencies = ", ".join(f"{value:.5g}" for value in body.frequencies_hz[:8])
    more = ", ..." if body.N > 8 else ""
    compared = body.accuracy
    if not compared and "mesh" in body.provenance:
        compared = (
            "  not compared with the full model; call report(structure), or with_accuracy(structure) to keep the "
            "findings",
        )
    lines = [
        f"{body.name}: {body.N} base functions, {body.mass:.6g} kg, frame {body.frame}",
        f"  frequencies [Hz]: {frequencies}{more}",
        f"  markers: {listing(body.markers)}",
        f"  geometric stiffening: {_stiffening_words(body)}",
        *_damping_lines(body),
        *(f"  {key}: {value}" for key, value in body.provenance.items()),
        *(f"  {note}" for note in body.notes),
        *compared,
    ]
    return "\n".join(lines)


def _damping_lines(body: ReducedBody) -> list[str]:
    """Return a line on the modes that the body's own dampers damp most; none without dampers."""
    if body.D is None:
        return []
    squares, Z = scipy.linalg.eigh(body.K, body.C8)
    ratios = np.einsum("ik,ij,jk->k", Z, body.D, Z) / (2 * np.sqrt(np.maximum(squares, 1e-300)))
    most = np.argsort(-ratios)[:3]
    said = ", ".join(f"{ratios[k]:.3g} (mode {k + 1}, {body.frequencies_hz[k]:.5g} Hz)" for k in most)
    return [f"  dampers: damping ratios up to {said}"]


def _stiffening_words(body: ReducedBody) -> str:
    if body.axial is not None:
        return f"by the axial force of {body.axial.n} axial mode{'s' * (body.axial.n > 1)}"
    if not body.stiffened and body.provenance.get("source", "").startswith("SID file"):
        return "as far as Oe of the file has it; none by loads at markers"
    if not body.stiffened:
        return "none (linear theory)" if body.mean else "none: it needs the mean-displacement frame"
    terms = [G for m in body.markers.values() for G in (m.GF, m.GM) if G is not None]
    present = sum(int(np.any(G_k)) for G in terms for G_k in G)
    return f"centrifugal terms, and {present} of {3 * len(terms)} unit loads of markers have terms"
