"""The sparse stiffness and mass matrix against those computed column by column."""

from dataclasses import replace

import numpy as np
from support import beams

import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.equations import sparse_tangent
from flexbody.equations.constraint_jacobian import weighted
from flexbody.equations.state import drawn_state, place_state
from flexbody.equations.tangent import mass_and_jacobian, stiffness, units


def chain(n: int) -> fb.System:
    """Beams on hinges, with a spring between the third and the last one that makes neighbours of them."""
    reduced = beams.quintic_beam()
    bodies = [
        fb.FlexibleBody(
            f"b{k}", reduced, place={"start": (k * beams.LENGTH, 0, 0), "end": ((k + 1) * beams.LENGTH, 0, 0)}
        )
        for k in range(n)
    ]
    inner = [fb.GROUND, *(body["end"] for body in bodies)]
    joints = [fb.Revolute(f"j{k}", inner[k], body["start"], axis="y") for k, body in enumerate(bodies)]
    spring = fb.SpringDamper("spring", bodies[2]["start"], bodies[-1]["end"], stiffness=50.0, free_length=0.1)
    return fb.System(bodies, joints, [spring], gravity=(0, 0, -9.81))


def test_equal_to_columns_one_by_one(monkeypatch):
    """Same points and weights, so that round-off of the differences alone remains, 1e-13 of the forces over 1e-3."""
    plan = make_plan(chain(8), 1.0, fb.Absolute())
    W, rng = plan.work(), np.random.default_rng(1)
    drawn = drawn_state(plan)
    s = replace(
        drawn,
        v=rng.normal(size=plan.n_velocities),
        vdot=rng.normal(size=plan.n_velocities),
        multipliers=rng.normal(size=plan.n_rows),
    )
    u = units(plan, W, s)
    monkeypatch.setattr(sparse_tangent, "LARGEST_DENSE", 0)
    found, exact = sparse_tangent.sparse_stiffness(plan, W, s, u), stiffness(plan, W, s)
    assert found.nnz < 0.6 * exact.size
    unit = np.outer(u, u)
    np.testing.assert_allclose(
        found.toarray() * unit, exact * unit, rtol=0, atol=1e-9 * np.abs(exact * unit).max()
    )
    # rigid rows and columns are small beside the modal ones
    own = np.ix_(*2 * [np.concatenate([np.arange(plan.n_velocities)[plan.rigid(b)] for b in range(8)])])
    scale = np.abs((exact * unit)[own]).max()
    assert scale > 0
    np.testing.assert_allclose((found.toarray() * unit)[own], (exact * unit)[own], rtol=0, atol=1e-8 * scale)
    place_state(plan, W, s)
    G = weighted(plan, W)[1]
    M, J = mass_and_jacobian(plan, W, s)
    place_state(plan, W, s)
    weighted(plan, W)
    np.testing.assert_allclose(
        sparse_tangent.sparse_mass(plan, W).toarray(), M, rtol=0, atol=1e-14 * np.abs(M).max()
    )
    np.testing.assert_allclose(sparse_tangent.turned_columns(plan, W, G).toarray(), J, rtol=0, atol=1e-14)
