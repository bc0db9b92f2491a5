"""Properties of every force element on rigid and flexible frames, by differences."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support import beams
from support.elements import (
    ACTIVE,
    BETWEEN,
    CONTACTS,
    NAMES,
    PASSIVE,
    STICKS,
    element,
    generalized_loads,
    loaded,
)
from support.state import moved, random_state

import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.core.kinds import PER_POINT
from flexbody.core.rotation import euler_of_matrix, matrices
from flexbody.model.forces import Element, ForceLaw
from flexbody.model.forces.force_element import JointElement

T = 0.3  # s, where laws of time are evaluated


def test_every_law_and_element_is_among_the_cases():
    """A new law belongs into PASSIVE or ACTIVE of ``support.elements``, an element between two frames into BETWEEN.

    Elements along joint coordinates are in the machine of ``support.zoo``; many contacts, surfaces, teeth, belts
    and controllers have tests of their own.
    """
    kinds = {value for name in fb.__all__ if isinstance(value := getattr(fb, name), type)}
    assert {kind for kind in kinds if issubclass(kind, ForceLaw)} == {
        type(law) for law in (PASSIVE | ACTIVE).values()
    }
    elements = {
        kind for kind in kinds if issubclass(kind, Element) and not issubclass(kind, JointElement)
    } - {fb.ForceElement, fb.Contacts, fb.SurfaceContact, fb.Controller, fb.ToothContact, fb.BeltSpan}
    assert elements == {type(force) for name in BETWEEN for force in machine(name, False).forces}


def machine(name, flexible):
    """The element between two bodies, drawn 0.3 m apart; on frames that shift and turn with a deformation."""
    if flexible:
        a = fb.FlexibleBody("a", beams.quintic_beam())
        b = fb.FlexibleBody("b", beams.quintic_beam(2), origin=(0.35, 0.2, 0.1))
        found = element(name, a["end"], b["start"])
    else:
        a = fb.RigidBody("a", mass=2.0, inertia=(0.1, 0.2, 0.25), center=(0.1, 0.0, -0.1))
        b = fb.RigidBody("b", mass=1.0, inertia=(0.1, 0.3, 0.25), center=(0.5, 0.3, 0.2))
        found = element(name, a, b, (0.2, 0.1, 0.0), (0.4, 0.3, 0.1))
    return fb.System([a, b], (), [found])


@pytest.fixture(scope="module", params=[False, True], ids=["rigid", "flexible"])
def plans(request):
    """Plans of all elements, and that of the bodies alone."""
    systems = {name: machine(name, request.param) for name in NAMES}
    bare = make_plan(fb.System(systems["linear"].bodies))
    return {name: make_plan(system) for name, system in systems.items()}, bare


def state_of(plan, seed=1):
    """Bodies turned by some 0.6 rad against each other, deformed, moving; states of laws of the size that occurs."""
    rng = np.random.default_rng(seed)
    c, q, alpha, v, vdot = random_state(plan, rng, turn=0.25)
    z = 0.3 * rng.normal(size=plan.elements.state_at[-1])
    return (plan.start()[0] + 0.1 * rng.normal(size=c.shape), q, 0.02 * alpha, 0.5 * v, vdot), z


@pytest.mark.parametrize("name", NAMES)
class TestEveryElement:
    def test_rates(self, plans, name):
        """Rates of the deformations are their derivatives by time: differences of second order."""
        plan = plans[0][name]
        state, z = state_of(plan)
        dt = 1e-5
        before, after = (loaded(plan, moved(plan, state, s * dt), z, T).deformation.copy() for s in (-1, 1))
        W = loaded(plan, state, z, T)
        size = np.abs(W.deformation_rate).max()
        # of contacts the gaps: slips are rates of nothing
        part = slice(None, None, PER_POINT) if name in CONTACTS else slice(None)
        np.testing.assert_allclose(
            W.deformation_rate[part], (after - before)[part] / (2 * dt), rtol=1e-6, atol=1e-7 * size
        )

    def test_energy_balance(self, plans, name):
        """``F . x. = dU/dt + dissipated - input``, with the states moving as the law says."""
        plan = plans[0][name]
        state, z = state_of(plan)
        W = loaded(plan, state, z, T)
        dt = 1e-5
        before, after = (
            loaded(plan, moved(plan, state, s * dt), z + s * dt * W.law_rate, T).element_power[0, 0]
            for s in (-1, 1)
        )
        _, lost, given = W.element_power[0]
        work = W.element_force @ W.deformation_rate
        scale = np.abs(W.element_force * W.deformation_rate).sum() + abs(lost) + abs(given)
        assert work == pytest.approx((after - before) / (2 * dt) + lost - given, abs=1e-6 * scale)
        assert scale > 0
        if name in PASSIVE or name in BETWEEN:
            assert given == 0
            assert lost >= 0

    def test_action_is_reaction(self, plans, name):
        """The loads on both bodies are in balance, as forces and as moments about the origin."""
        plan, bare = plans[0][name], plans[1]
        state, z = state_of(plan)
        loads = generalized_loads(plan, bare, state, z, T)
        c, Q, L = state[0], matrices(state[1]), plan.layout
        force, moment = np.zeros(3), np.zeros(3)
        for b, first in enumerate(L.v_at[:-1]):
            force += loads[first : first + 3]
            moment += np.cross(c[b], loads[first : first + 3]) + Q[b] @ loads[first + 3 : first + 6]
        size = np.abs(loads).max()
        assert size > 0
        np.testing.assert_allclose(np.concatenate([force, moment]), 0, atol=1e-12 * size)

    def test_virtual_work(self, plans, name):
        """The generalized loads do the work ``-F . x.``, deformation of the bodies included."""
        plan, bare = plans[0][name], plans[1]
        state, z = state_of(plan)
        W = loaded(plan, state, z, T)
        power = -W.element_force @ W.deformation_rate
        size = np.abs(W.element_force * W.deformation_rate).sum()
        # a difference of residuals: 1e-11 is the round-off of inertia forces
        assert generalized_loads(plan, bare, state, z, T) @ state[3] == pytest.approx(
            power, abs=1e-10 * size + 1e-11
        )

    def test_rigid_motion_changes_nothing(self, plans, name):
        """Both bodies turned and carried off as one: the same deformations, rates and forces."""
        plan = plans[0][name]
        (c, q, alpha, v, vdot), z = state_of(plan)
        R, shift = Rotation.from_rotvec([1.0, -2.0, 0.7]).as_matrix(), np.array([3.0, 1.0, -2.0])
        spin, speed = np.array([0.4, -1.3, 2.0]), np.array([1.0, 0.5, -2.0])
        W = loaded(plan, (c, q, alpha, v, vdot), z, T)
        Q, v2 = matrices(q), v.copy()
        q2 = np.array([euler_of_matrix(R @ A) for A in Q])
        c2 = c @ R.T + shift
        for b, first in enumerate(plan.layout.v_at[:-1]):
            v2[first : first + 3] = R @ v[first : first + 3] + speed + np.cross(spin, c2[b])
            v2[first + 3 : first + 6] += (R @ Q[b]).T @ spin
        W2 = loaded(plan, (c2, q2, alpha, v2, vdot), z, T)
        for name in ("deformation", "deformation_rate", "element_force"):
            now, then = getattr(W, name), getattr(W2, name)
            np.testing.assert_allclose(then, now, rtol=1e-10, atol=1e-10 * np.abs(now).max())


@pytest.mark.parametrize("name", BETWEEN)
def test_neither_end_is_preferred(name):
    """With first and second exchanged the loads on the bodies are the same."""
    system = machine(name, False)
    a, b = system.bodies
    swapped = element(name, b, a, (0.4, 0.3, 0.1), (0.2, 0.1, 0.0))
    if name in CONTACTS:
        (contact,) = system.forces
        swapped = replace(contact, first=contact.second, second=contact.first)
    if name == "bushing with tables":
        pytest.skip("its curves are not odd: the exchanged mount is another one")
    plan, bare = make_plan(system), make_plan(fb.System([a, b]))
    other = make_plan(fb.System([a, b], (), [swapped]))
    state, z = state_of(plan)
    if name == STICKS:
        z *= 0.0  # the axes of its bristles are those of the first sphere
    np.testing.assert_allclose(
        generalized_loads(other, bare, state, z, T),
        generalized_loads(plan, bare, state, z, T),
        rtol=1e-9,
        atol=1e-8,
    )
