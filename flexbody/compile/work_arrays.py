"""Working arrays of the compiled core, laid out once for all machines of the same sizes."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from fem.common.structures import Mould

from ..core.kinds import C1, C3, COUNT, MASSLESS_BESIDE, MASSLESS_NUMBERS, PATH_NUMBERS, RECORD, RELAXED
from ..core.structures import Layout, Work
from .frames import path_work
from .shape_numbers import shape_numbers

#: layouts of working arrays that are kept
KEPT = 16


class Sizes(NamedTuple):
    """All that the places of working arrays depend on."""

    bodies: int
    modes: int
    velocities: int
    axial: int  # numbers of axial energies
    frames: int
    frame_rows: int
    terms: int
    rows: int
    eliminated: int  # constraint rows and deformations
    blocks: int
    matrix: int
    panels: int
    legs: int
    network_legs: int  # of the rows of the elements of networks
    massless: int
    coordinates: int  # that rows or forces use
    counted: int  # coordinates whose revolutions are counted
    paths: int
    path_rows: int
    shapes: int  # numbers of shapes that follow contacts
    elements: int
    deformations: int
    law_states: int
    signals: int
    frictions: int  # that follow reactions


def work_mould(L: Layout, law_states: np.ndarray, signals: int, used: int, counted: int) -> Mould:
    """Return the working arrays of a machine as they are at first.

    Parameters
    ----------
    L : Layout
        Its arrays.
    law_states : numpy.ndarray
        First values of the states of force laws, (nz,), NaN where laws find them.
    signals : int
        Number of the signals of controllers.
    used, counted : int
        Numbers of the joint coordinates that rows or forces use, and of those whose revolutions are counted.

    Returns
    -------
    Mould
        Machines of the same sizes, such as variants of a study, share its places and have their own values.
    """
    paths = path_work(L)
    sizes = Sizes(
        bodies=len(L.body_mass), modes=int(L.alpha_at[-1]), velocities=int(L.v_at[-1]),
        axial=int(np.sum(L.body_axial * (2 + L.body_modes))), frames=len(L.frame_body),
        frame_rows=len(L.frame_modes), terms=int(np.sum(L.body_modes[L.frame_body] * np.diff(L.frame_term_at))),
        rows=len(L.row_kind), eliminated=len(L.elimination), blocks=int(L.body_block_at[-1]),
        matrix=int(L.matrix_at[-1]), panels=int(L.panel_at[-1]), legs=len(L.leg_frame), coordinates=used,
        counted=counted, network_legs=_network_legs(L),
        massless=len(L.massless_center), paths=len(L.path), path_rows=len(paths["path_rows"]),
        shapes=shape_numbers(L), elements=len(L.element),
        deformations=len(L.deformation_element), law_states=len(law_states), signals=signals,
        frictions=len(L.reaction_friction),
    )  # fmt: skip
    massless = np.zeros((sizes.massless, MASSLESS_NUMBERS))
    massless[:, MASSLESS_BESIDE:] = L.massless_start
    return _blank(sizes).filled(
        D1=_constant(L, C1, 3), J=_constant(L, C3, 9).reshape(-1, 3, 3), frame_rows=L.frame_modes,
        massless=massless, path=paths["path"], law_state=np.nan_to_num(law_states),
    )  # fmt: skip


def _network_legs(L: Layout) -> int:
    """Return the number of legs of the rows of all networks: of each deformation all outer frames."""
    counts = L.element[L.net_element, COUNT]
    rows = np.add.reduceat(counts, L.net_element_at[:-1]) if len(counts) else np.zeros(0, dtype=np.int64)
    return int(rows @ np.diff(L.net_frame_at))


def _constant(L: Layout, which: int, size: int) -> np.ndarray:
    """Return a coefficient of all bodies, (nb, size)."""
    return np.array([L.coefficients[at : at + size] for at in L.coefficient_at[:, which]])


@lru_cache(maxsize=KEPT)
def _blank(n: Sizes) -> Mould:
    """Return working arrays of these sizes without the values of a machine."""
    z, m = np.zeros, n.eliminated
    slope = z((2 * m + n.legs + n.network_legs, 2, 3))
    first = Work(
        Q=z((n.bodies, 3, 3)), D1=z((n.bodies, 3)), J=z((n.bodies, 3, 3)),
        D2=z((n.modes, 3, 3)), D3=z((n.modes, 3)), axial=z(n.axial),
        frame_p=z((n.frames, 3)), frame_r=z((n.frames, 3)), frame_R=z((n.frames, 3, 3)),
        frame_rows=z(n.frame_rows), term=z(n.terms),
        frame_v=z((n.frames, 3)), frame_w=z((n.frames, 3)), frame_a=z((n.frames, 3)), frame_b=z((n.frames, 3)),
        active=np.ones(n.rows, dtype=np.int64), phi=z(n.rows), phi_t=z(n.rows), driven=z(n.rows),
        slope=slope, direction=slope[: 2 * m].reshape(m, 4, 3), leg_slope=slope[2 * m : 2 * m + n.legs],
        shape=z(n.shapes),
        coordinate=z(n.coordinates), coordinate_slope=z((n.coordinates, 4, 3)), revolutions=z((n.counted, 5)),
        path=z((n.paths, PATH_NUMBERS)), path_rows=z(n.path_rows), frame_load=z((n.frames, 6)), G=z(n.blocks),
        residual=z(n.velocities), power=z(2), load=z(n.velocities),
        law_mode=RELAXED, law_kappa=0.0, law_time=0.0, bad_time=0.0, bad_element=-1, bad_deformation=0.0,
        bad_rate=0.0, bad_network_time=0.0, bad_network=-1, bad_network_cause=0,
        deformation=z(n.deformations), deformation_rate=z(n.deformations),
        element_force=z(n.deformations), deformation_slope=z((n.deformations, 4, 3)), law_state=z(n.law_states),
        law_rate=z(n.law_states), law_known=z(n.law_states), law_input=z((n.elements, 3)),
        element_power=z((n.elements, 3)), peak=z((n.elements, 4)), depth=z((n.elements, 4)),
        turned=z((n.deformations, 7)), signal=z(n.signals),
        acted=z((n.signals, 2)),
        massless=z((n.massless, MASSLESS_NUMBERS)),
        friction_record=z((n.frictions, RECORD)),
        friction_system=z((n.frictions, n.frictions + 2)), friction_motion=z((n.frictions, n.velocities)),
        friction_multipliers=z((n.frictions, m)),
        matrix=z(n.matrix), Y=z(n.blocks), S=z(n.panels), diagonal=z(m), compliance=z(m - n.rows),  pivot=1.0, held=1.0,
        kept=np.ones(m, dtype=np.int64), rank=0, right=z(m), solution=z(m), other=z(m), solutions=z((m, 2)),
        unused=z(m),
    )  # fmt: skip
    return Mould(first)
