"""Reduced bodies in SID files (Standard Input Data of flexible bodies), for other programs and from them.

In terms of Koppens' integrals, with ``six(A) = (A11, A22, A33, A12 + A21, A23 + A32, A13 + A31)``::

    mdCM = C1 + C2_j q_j      J = C3 + (C4_j + C4_j') q_j      Ct_i = C2_i       Cr_i = C6_i + C7_ji q_j
    Me = C8                   Gr_j = 2 C4_j                    Ge_ij = 2 C7_ji   Oe_i = -six(C4_i) - six(C5_ij) q_j
    phi = Phi + GF q          psi = B + GM q                   Ke = K        De = D

C5 contains the stiffening terms. A SID file has no place for the terms ``alpha' C5 alpha`` of J and ``2 C5 alpha`` of
Gr, so that a program that uses it as it stands has an error of second order in alpha in its moment equation, and none
in the other two. This reader has no such error: the symmetric part of C5 stands in Oe, its antisymmetric part is C7.

Programs order the columns of Gr and Ge by axes (FEMBS: all modes about x, then y, then z) or by modes (PY_SID for Gr;
FEMBeam, EMBSlib, pymbs). Two identities tell them apart, ``sym(Gr_j) = J.M1_j`` and ``Ge = 2 Cr.M1``.
"""

from __future__ import annotations

import os
from pathlib import Path
from textwrap import shorten
from typing import Any

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import FileError, InputError, listing, warn
from fem.common.files import path_of
from fem.io.units import Units, units_of

from .inertia import EPSILON, FloatArray
from .reduced_body import Marker, ReducedBody
from .sid_frame import HeldFrame
from .sid_text import BODY_SIZES, J_AT, Node, SidText, Taylor, read_text, text_of

#: rows and columns of the entries w1^2, w2^2, w3^2, w1 w2, w2 w3, w1 w3 of Oe
_OE_AT = ([0, 1, 2, 0, 1, 0], [0, 1, 2, 1, 2, 2])
#: relative difference up to which an identity of a file holds; files have 12 digits
IDENTITY_TOLERANCE = 1e-6
#: momenta of the modes below this part of their size are zero: the mean-displacement frame
_MEAN_TOLERANCE = 1e-9
#: moments of inertia that a mass matrix lacks are set to this part of the largest
_LEAST_INERTIA = 1e-3
#: part of that above which the inertia that the modes leave is taken as the file's own, beyond its 12 digits
_DEFINITE_TOLERANCE = 1e-5
#: mass (kg) over the cube of the length (m) below which units are doubted: a wire of 1 kg and 50 m has 8e-6
_LIGHTEST_WIRE = 1e-6
#: the same above which they are doubted: nodes within a fiftieth of a body of steel have 1e9
_HEAVIEST_BODY = 1e10


@check_arguments
def read_sid(path: str | os.PathLike, *, units: str = "SI", name: str | None = None) -> ReducedBody:
    """Read a flexible body from a SID file (Standard Input Data: Simpack FEMBS, PY_SID, FEMBeam and others).

    Each node becomes a marker, named as in the file.

    Parameters
    ----------
    path : str or path
        The file.
    units : str
        Units of the file, as for :func:`fem.read_mesh`; ``"mm-kg-s"`` for kg, mm, s.
    name : str, optional
        Name of the body; that of the file by default.

    Returns
    -------
    ReducedBody
        The body, with the file's own numbers: Gr, Oe with its geometric terms, and the second order of phi and psi.

    Raises
    ------
    FileError
        There is no such file, or it is damaged; the message names the line.
    InputError
        There are no such units.

    Warns
    -----
    FlexbodyWarning
        The numbers of the file contradict each other, or it holds terms that are not used.

    Notes
    -----
    Both orders of the indices of m1 and of the columns of Gr and Ge are recognised. If the modes have no momentum and
    no angular momentum, the body is in the mean-displacement frame, and its origin is moved to the centre of mass. A
    body in another frame, such as a tangent frame, whose file tells how accelerations of the frame stiffen it (Ct.M1),
    is transferred to the mean-displacement frame with all its stiffening terms (:mod:`modal.body.sid_frame`). This is
    exact for forces and moments on nodes (of a face: on the rigid motion closest to it) and for the inertia of solids.
    Of beams it has an error of second order in the size of an element (for a curved beam of 30 x 20 mm and 1 m of 32
    elements 8 % of the largest coefficient in C5, 2 % of 64), if the file's terms contain that the points of a turning
    section move to second order. A program whose geometric stiffness is that of its beam elements alone leaves this
    out, and the file does not tell: where torsion takes part, the terms are then off by about 20 % on any mesh.
    Without Ct.M1 the second order of nodes (phi.M1, psi.M1) is not used in such a frame. ksigma.M1, the stiffness of an
    initial stress, is added to Ke.

    C5 is taken from the first order of Oe and from Cr, so that J has the terms of second order that SID leaves out
    (:mod:`modal.body.sid`). Files of planar models, and files whose rigid and modal parts contradict each other, have
    no positive definite mass matrix; J is then raised by the least amount that makes it so, with a warning.

    Examples
    --------
    >>> import tempfile, modal
    >>> beam = modal.assumed.beam(0.3, mass=0.1, EI=12.7, y=modal.assumed.quintic())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     modal.read_sid(beam.export(folder + "/beam.SID_FEM"))
    <ReducedBody 'beam': 4 base functions, 0.1 kg, frame MeanDisplacement>
    """
    path, scale = path_of(path), units_of(units)
    if not path.is_file():
        raise FileError(f"there is no file {path}")
    sid = read_text(path)
    doubts: list[str] = []
    inertia = _inertia(sid, doubts)
    mean = _is_mean(sid, inertia)
    held = None if mean else _held_frame(sid, inertia)
    _unused(sid, held is not None, doubts)
    shift = np.zeros(3)
    if held is not None:
        inertia |= _turned_inertia(held, inertia)
    if mean or held is not None:
        shift = inertia["C1"] / sid.mass
        inertia["C3"] = inertia["C3"] - sid.mass * (shift @ shift * np.eye(3) - np.outer(shift, shift))
        inertia |= {key: np.zeros_like(inertia[key]) for key in ("C1", "C2", "C6")}
    inertia["C3"] = _positive(sid.mass, inertia, doubts)
    stiffened = held is not None or (mean and _has_second_order(sid))
    markers = {node.label: _marker(node, sid.n, shift, stiffened) for node in sid.nodes}
    _check_nodes(sid, doubts, stiffened)
    if held is not None:
        markers, mean = _turned_markers(held, sid, markers, doubts), True
    _check_size(sid.mass * scale.density * scale.length**3, markers, scale.length, doubts)
    if doubts:
        warn(f"{path}: {'; '.join(doubts)}")
    try:
        return _in_SI(sid, inertia, markers, shift, scale, path, name, mean, stiffened)
    except FileError:
        raise
    except InputError as error:
        raise FileError(f"{path}: {error}") from None


def _in_SI(
    sid: SidText,
    inertia: dict[str, FloatArray],
    markers: dict[str, Marker],
    shift: FloatArray,
    scale: Units,
    path: Path,
    name: str | None,
    mean: bool,
    stiffened: bool,
) -> ReducedBody:
    """Return the body; modal coordinates keep their numbers."""
    length, kilogram = scale.length, scale.density * scale.length**3
    second_squared = kilogram / (scale.length * scale.modulus)
    powers = {"C1": 1, "C2": 1} | dict.fromkeys(("C3", "C4", "C5", "C6", "C7", "C8"), 2)
    values: dict[str, Any] = {key: inertia[key] * kilogram * length**power for key, power in powers.items()}
    zero = np.zeros_like(values["C5"])
    damping = _damping(sid)
    return ReducedBody(
        name=name or sid.name or path.stem,
        frame="MeanDisplacement" if mean else "as in the SID file",
        origin=shift * length,
        mass=sid.mass * kilogram,
        **values,
        K=inertia["K"] * kilogram * length**2 / second_squared,
        D=None if not damping.any() else damping * kilogram * length**2 / np.sqrt(second_squared),
        mean=mean,
        markers={key: _scaled(marker, length) for key, marker in markers.items()},
        provenance={
            "source": f"SID file {path.name}: {shorten(sid.comment, 120)}",
            "damping": "De of the file" if damping.any() else "none in the file",
        },
        # Oe of the file contains the stiffening already: C5 is the sum of both
        C5_stiffening=zero if stiffened else None,
    )


def _scaled(marker: Marker, length: float) -> Marker:
    GF = None if marker.GF is None else marker.GF * length
    return Marker(marker.point * length, marker.Phi * length, marker.B, marker.has_rotation, GF, marker.GM)


def _inertia(sid: SidText, doubts: list[str]) -> dict[str, FloatArray]:
    """Return C1 to C8 and K of the file's expansions; ``doubts`` gets what does not fit together."""
    n, of = sid.n, sid.values
    J, Cr, Oe = of["J"], of["Cr"].first(sid.n), of["Oe"].first(sid.n)
    J1 = _matrices(J.first(n)[:, :, 0].T, J_AT)
    Gr = _by_mode(of["Gr"].M0, J1, "Gr", doubts)
    _gyroscopic(sid, doubts)
    turning = 0.5 * (Cr - Cr.transpose(1, 0, 2))
    C7 = turning.transpose(1, 0, 2)
    C4 = 0.5 * Gr
    Oe_0 = _matrices(-of["Oe"].M0 * [1, 1, 1, 0.5, 0.5, 0.5], _OE_AT)
    if _relative(2 * Oe_0 - J1, J1) > IDENTITY_TOLERANCE:
        doubts.append("Oe.M0 differs from J.M1")
    stiffness = of["Ke"].M0 + (of["ksigma"].first(n)[:, :, 0] if "ksigma" in of else 0.0)
    skew = np.einsum("abc,ijc->ijab", EPSILON, C7)  # C7 = (C5[32] - C5[23], C5[13] - C5[31], C5[21] - C5[12])
    C5 = _matrices(-Oe * [1, 1, 1, 0.5, 0.5, 0.5], _OE_AT) - 0.5 * skew
    return {
        "C1": of["mdCM"].M0[:, 0],
        "C2": of["Ct"].M0,
        "C3": _matrices(J.M0[:, 0], J_AT),
        "C4": C4,
        "C5": C5,
        "C6": of["Cr"].M0,
        "C7": C7,
        "C8": 0.5 * (of["Me"].M0 + of["Me"].M0.T),
        "K": 0.5 * (stiffness + stiffness.T),
    }


def _positive(mass: float, inertia: dict[str, FloatArray], doubts: list[str]) -> FloatArray:
    """Return C3 with as much more rotary inertia as makes the mass matrix positive definite.

    Files of planar models have one moment of inertia, and in some the rigid and the modal parts, which come from
    different mass matrices, contradict each other. What is added has no effect where the body's frame is held.
    """
    C1, C2, C3, C6, C8 = (inertia[key] for key in ("C1", "C2", "C3", "C6", "C8"))
    moved = np.block([[mass * np.eye(3), C2.T], [C2, C8]])
    coupled = np.vstack([np.cross(np.eye(3), C1).T, C6])
    left = C3 - coupled.T @ np.linalg.pinv(moved, rcond=1e-13, hermitian=True) @ coupled
    values, axes = np.linalg.eigh(0.5 * (left + left.T))
    floor = _LEAST_INERTIA * np.abs(np.linalg.eigvalsh(C3)).max()
    if values[0] >= _DEFINITE_TOLERANCE * floor or np.linalg.eigvalsh(moved)[0] <= 0:
        return C3
    more = np.maximum(floor - values, 0.0)
    words = ", ".join(
        f"{m:.4g} about ({', '.join(f'{x + 0.0:.3g}' for x in n.round(6))})"
        for m, n in zip(more, axes.T, strict=True)
        if m
    )
    doubts.append(
        f"its mass matrix is not positive definite (a planar model, or numbers that don't fit together); J is "
        f"raised by {words}, in units of the file, which has no effect where the body's frame is held"
    )
    return C3 + (axes * more) @ axes.T


def _matrices(six: FloatArray, at: tuple[list[int], list[int]]) -> FloatArray:
    """Return symmetric matrices (..., 3, 3) from their six entries (..., 6)."""
    out = np.zeros((*six.shape[:-1], 3, 3))
    out[..., at[0], at[1]] = six
    out[..., at[1], at[0]] = six
    return out


def _six(matrices: FloatArray) -> FloatArray:
    """Return (A11, A22, A33, A12 + A21, A23 + A32, A13 + A31) (..., 6) of matrices (..., 3, 3)."""
    rows, columns = _OE_AT
    return (matrices + matrices.swapaxes(-1, -2))[..., rows, columns] * [0.5, 0.5, 0.5, 1, 1, 1]


def _relative(difference: FloatArray, value: FloatArray) -> float:
    size = float(np.abs(value).max(initial=0.0))
    return float(np.abs(difference).max(initial=0.0)) / size if size else 0.0


def _by_mode(table: FloatArray, J1: FloatArray, what: str, doubts: list[str]) -> FloatArray:
    """Return Gr_j (modes, 3, 3) from (3, 3 modes), in the order of columns for which sym(Gr_j) = J.M1_j."""
    n = len(J1)
    by_axis = table.reshape(3, 3, n).transpose(2, 0, 1)
    by_mode = table.reshape(3, n, 3).transpose(1, 0, 2)
    errors = [_relative(0.5 * (G + G.transpose(0, 2, 1)) - J1, J1) for G in (by_axis, by_mode)]
    if min(errors) > IDENTITY_TOLERANCE:
        doubts.append(f"the symmetric part of {what} differs from J.M1 by {min(errors):.1%}")
    return by_axis if errors[0] <= errors[1] else by_mode


def _gyroscopic(sid: SidText, doubts: list[str]) -> None:
    """Compare Ge with 2 Cr.M1; the equations use Cr.M1."""
    whole, turning = _misfits(sid)
    if min(whole, turning) > IDENTITY_TOLERANCE:
        doubts.append(f"Ge differs from 2 Cr.M1 by {whole:.1%}; Cr.M1 is used")


def _misfits(sid: SidText) -> tuple[float, float]:
    """Return how far Ge, in the better order of its columns, is from 2 Cr.M1, and from its antisymmetric part alone."""
    Ge, Cr = sid.values["Ge"].M0, sid.values["Cr"].first(sid.n)
    orders = Ge.reshape(sid.n, 3, sid.n).transpose(0, 2, 1), Ge.reshape(sid.n, sid.n, 3)
    whole, turning = (
        min(_relative(order - wanted, 2.0 * Cr) for order in orders)
        for wanted in (2.0 * Cr, Cr - Cr.transpose(1, 0, 2))
    )
    return whole, turning


def _held_frame(sid: SidText, inertia: dict[str, FloatArray]) -> HeldFrame | None:
    """Return the frame of a file that says how accelerations of it stiffen the body, None for other files.

    The symmetric part of Cr.M1 is stiffening where Ge does not contain it; else it is rotary inertia of nodes.
    """
    K0t, Cr = sid.values["Ct"].first(sid.n), sid.values["Cr"].first(sid.n)
    if not K0t.any():
        return None
    whole, turning = _misfits(sid)
    K0r = 0.5 * (Cr + Cr.transpose(1, 0, 2)) * (turning < whole)
    first = {key: inertia[key] for key in ("C1", "C2", "C3", "C4", "C6")}
    return HeldFrame(sid.mass, **first, K0t=0.5 * (K0t + K0t.transpose(1, 0, 2)), K0r=K0r)


def _turned_inertia(held: HeldFrame, inertia: dict[str, FloatArray]) -> dict[str, FloatArray]:
    """Return C4, C5, C7 and C8 in the mean frame; C5 with its stiffening."""
    S = held.products()
    trace = np.trace(S, axis1=2, axis2=3)
    stiffening = _matrices(-held.rotation() * [1, 1, 1, 0.5, 0.5, 0.5], _OE_AT)
    return {
        "C4": held.first_moments(),
        "C5": inertia["C5"] + trace[..., None, None] * np.eye(3) - S + stiffening,
        "C7": inertia["C7"] + np.einsum("abc,ijbc->ija", EPSILON, S),
        "C8": inertia["C8"] + trace,
    }


def _turned_markers(
    held: HeldFrame, sid: SidText, markers: dict[str, Marker], doubts: list[str]
) -> dict[str, Marker]:
    """Return the markers in the mean frame; ``markers`` have their points already.

    A node that does not move in the file's frame has a second order of zero there; one that moves must have its own.
    """
    found, lacking = {}, []
    motions = {name: np.linalg.norm(np.vstack([its.Phi, its.B])) for name, its in markers.items()}
    still = _MEAN_TOLERANCE * max(motions.values(), default=0.0)
    for node in sid.nodes:
        its = markers[node.label]
        GF, GM = its.GF, its.GM
        if GF is None or GM is None or (motions[node.label] > still and not _curved(node)):
            lacking.append(node.label)
            GF = GM = None
        else:
            GF = np.stack([G - held.force(e, its.point, its.Phi) for G, e in zip(GF, np.eye(3), strict=True)])
            GM = np.stack([G - held.moment(e, its.B) for G, e in zip(GM, np.eye(3), strict=True)])
        Phi = its.Phi + held.b.T + np.cross(held.beta, its.point).T
        found[node.label] = Marker(its.point, Phi, its.B + held.beta.T, its.has_rotation, GF, GM)
    if lacking:
        doubts.append(
            f"forces on the nodes {listing(lacking)} do not stiffen the body, for their phi and psi have no first order"
        )
    return found


def _is_mean(sid: SidText, inertia: dict[str, FloatArray]) -> bool:
    """Return whether the modes have no momentum (Ct) and no angular momentum (Cr) in the frame of the file."""
    size = np.sqrt(sid.mass * np.abs(inertia["C8"].diagonal()).max(initial=0.0))
    turning = np.sqrt(np.trace(inertia["C3"]) * np.abs(inertia["C8"].diagonal()).max(initial=0.0))
    return bool(
        np.abs(inertia["C2"]).max(initial=0.0) <= _MEAN_TOLERANCE * size
        and np.abs(inertia["C6"]).max(initial=0.0) <= _MEAN_TOLERANCE * turning
    )


def _has_second_order(sid: SidText) -> bool:
    """Return whether nodes have second-order terms; some programs write zeros."""
    return any(_curved(node) for node in sid.nodes)


def _curved(node: Node) -> bool:
    """Return whether a node has second-order terms that are not zero."""
    first = [node.values[key].M1 for key in ("phi", "psi") if key in node.values]
    return any(M1 is not None and M1.any() for M1 in first)


def _marker(node: Node, n: int, shift: FloatArray, stiffened: bool) -> Marker:
    nothing = Taylor(np.zeros((3, n)))
    phi, psi = node.values.get("phi", nothing), node.values.get("psi", nothing)
    point = node.values.get("origin", Taylor(np.zeros((3, 1)))).M0[:, 0] - shift
    # a node that moves without turning belongs to a solid, one that does neither is held by the frame
    turns = bool(psi.M0.any() or not phi.M0.any())
    if not stiffened:
        return Marker(point, phi.M0, psi.M0, turns)
    GF, GM = (value.first(n).transpose(0, 2, 1) for value in (phi, psi))
    return Marker(point, phi.M0, psi.M0, turns, *(0.5 * (G + G.transpose(0, 2, 1)) for G in (GF, GM)))


def _check_size(mass: float, markers: dict[str, Marker], length: float, doubts: list[str]) -> None:
    """Doubt a body that is so light or so heavy for its length that its file is in other units."""
    points = np.array([marker.point for marker in markers.values()])
    span = float(np.ptp(points, axis=0).max()) * length if len(points) else 0.0
    light, heavy = mass < _LIGHTEST_WIRE * span**3, mass > _HEAVIEST_BODY * span**3 > 0
    if light or heavy:
        mend = "give units='mm-kg-s' for a file in kg, mm and s, or units='mm' for one in t, mm and s"
        mend = mend if light else "leave out units= for a file in kg, m and s, or give those of its program"
        doubts.append(f"units look wrong: {mass:.4g} kg and nodes up to {span:.4g} m apart; {mend}")


def _check_nodes(sid: SidText, doubts: list[str], stiffened: bool) -> None:
    turned, moved, curved = [], [], []
    for node in sid.nodes:
        of = node.values
        if "AP" in of and np.abs(of["AP"].M0 - np.eye(3)).max() > IDENTITY_TOLERANCE:
            turned.append(node.label)
        rate = of["origin"].M1 if {"origin", "phi"} <= set(of) else None
        if rate is not None and _relative(rate[:, :, 0] - of["phi"].M0, of["phi"].M0) > IDENTITY_TOLERANCE:
            moved.append(node.label)
        if _curved(node):
            curved.append(node.label)
    if turned:
        doubts.append(
            f"the frames of the nodes {listing(turned)} are turned; markers have the axes of the body"
        )
    if moved:
        doubts.append(f"origin.M1 differs from phi.M0 at the nodes {listing(moved)}; phi is used")
    if curved and not stiffened:
        doubts.append(
            f"the second order of the nodes {listing(curved)} needs the mean-displacement frame: not used"
        )
    labels = [node.label for node in sid.nodes]
    if len(set(labels)) < len(labels):
        doubts.append("nodes have the same label; the last of each is used")


def _unused(sid: SidText, held: bool, doubts: list[str]) -> None:
    Cr, Ct = sid.values["Cr"].first(sid.n), sid.values["Ct"].M1
    uneven = _relative(Cr + Cr.transpose(1, 0, 2), Cr)
    whole, turning = _misfits(sid)
    if uneven > IDENTITY_TOLERANCE and not (held and turning < whole):
        doubts.append(
            f"Cr.M1 has a symmetric part of {uneven:.1%} (stiffening by angular acceleration, or rotary inertia of "
            "nodes), which is not used"
        )
    if Ct is not None and Ct.any() and not held:
        doubts.append("Ct.M1 (stiffening by acceleration) is not used")
    if "ksigma" in sid.values and sid.values["ksigma"].M0.any():
        doubts.append("ksigma.M0 (modal forces of an initial stress) is not used")


def _damping(sid: SidText) -> FloatArray:
    """Return the symmetric part of De (N, N), zero where the file has none."""
    De = sid.values["De"].M0 if "De" in sid.values else np.zeros((sid.n, sid.n))
    return np.asarray(0.5 * (De + De.T))


def sid_of(body: ReducedBody, by_mode: bool = False) -> str:
    """Return a body as the text of a SID file, columns of Gr and Ge in that order; InputError for axial modes.

    In the mean-displacement frame the positions are those of the mesh, so that mdCM is not zero; in others they are
    measured from the origin of the frame.
    """
    if body.axial is not None:
        raise InputError(f"body '{body.name}' has axial modes, whose strain energy a SID file can't hold")
    N, frequencies = body.N, body.frequencies_hz
    C5 = body.C5 if body.C5_stiffening is None else body.C5 + body.C5_stiffening
    C7 = body.C7.transpose(1, 0, 2)

    def ordered(table: FloatArray) -> FloatArray:  # (rows, modes, 3)
        return (table if by_mode else table.transpose(0, 2, 1)).reshape(len(table), 3 * N)

    rows, columns = J_AT
    shift = body.origin if body.mean else np.zeros(3)
    C3 = body.C3 + body.mass * (shift @ shift * np.eye(3) - np.outer(shift, shift))
    sums = body.C4 + body.C4.transpose(0, 2, 1)
    values = {
        "mdCM": Taylor((body.C1 + body.mass * shift)[:, None], body.C2.T[:, :, None]),
        "J": Taylor(C3[rows, columns][:, None], sums[:, rows, columns].T[:, :, None]),
        "Ct": Taylor(body.C2),
        "Cr": Taylor(body.C6, C7),
        "Me": Taylor(body.C8),
        "Gr": Taylor(ordered(2 * body.C4.transpose(1, 0, 2))),
        "Ge": Taylor(ordered(2 * C7)),
        "Oe": Taylor(-_six(body.C4), -_six(C5)),
        "Ke": Taylor(body.K),
    }
    values["De"] = Taylor(np.zeros((N, N)) if body.D is None else body.D)
    return text_of(
        SidText(
            comment=f"written by flexbody, frame {body.frame}, SI units, geometric stiffening: "
            f"{'yes' if body.stiffened else 'no'}",
            name=body.name,
            mass=body.mass,
            modes=[f"Eigen Mode {k:4d} : {value:12.3f} Hz" for k, value in enumerate(frequencies, start=1)],
            nodes=[Node(name, _of_marker(marker, shift)) for name, marker in body.markers.items()],
            values=values | {"ksigma": Taylor(np.zeros(BODY_SIZES["ksigma"](N)))},
        )
    )


def _of_marker(marker: Marker, shift: FloatArray) -> dict[str, Taylor]:
    turned = -np.einsum(
        "abc,cj->ajb", EPSILON, marker.B
    )  # the skew matrix of each column of B, (row, mode, column)
    second = [None if G is None else G.transpose(0, 2, 1) for G in (marker.GF, marker.GM)]
    return {
        "origin": Taylor((marker.point + shift)[:, None], marker.Phi[:, :, None]),
        "phi": Taylor(marker.Phi, second[0]),
        "psi": Taylor(marker.B, second[1]),
        "AP": Taylor(np.eye(3), turned),
    }
