"""An element, a geometry and laws that only this file defines: a run, its file, its picture and its history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexbody as fb
from flexbody.model.forces import Between, Element, ForceLaw, Geometry, Line, Symbol
from flexbody.view.geometry import colours
from flexbody.view.scenes import machine
from flexbody.view.symbols.stretched import Barrel, Spring

MASS, K, K3, D, LENGTH = 2.0, 50.0, 4e3, 0.3, 1.0
EXPLICIT = fb.Explicit(rtol=1e-10)


@dataclass(frozen=True, eq=False)
class Hardening(ForceLaw):
    """``F = k x + k3 x^3``: a law whose formula is Python."""

    k: float
    k3: float

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """A spring, with a symbol that no picture knows."""
        return Symbol("spring"), Symbol("diamond")

    def problems(self, label: str) -> list[str]:
        """The problem of a soft spring."""
        return [] if self.k >= 0 else [f"{label}: k is {self.k!r}; give a number not below zero"]

    def pointer(self, t_end, drawn, label):
        """Record the formula."""
        return fb.UserLaw(lambda t, x, rate: self.k * x + self.k3 * x**3).pointer(t_end, drawn, label)


@dataclass(frozen=True, eq=False)
class Viscous(ForceLaw):
    """``F = d rate``, with the compiled function of another law."""

    d: float

    function: ClassVar = "linear"

    def numbers(self) -> list[float]:
        """Stiffness and damping."""
        return [0.0, self.d]


@dataclass(frozen=True, eq=False)
class Strap(Element):
    """A hardening spring between two bodies."""

    name: str
    first: fb.RigidBody
    second: fb.RigidBody
    k: float
    k3: float
    anchor: tuple[float, float, float]

    @property
    def geometry(self) -> Geometry:
        """The line from the anchor to the second body."""
        return Line(self.first, self.second, free_length=LENGTH, first_point=self.anchor)

    def force_law(self, bodies: Mapping) -> ForceLaw:
        """The hardening law."""
        return Hardening(self.k, self.k3)


def machine_with(k: float = K) -> fb.System:
    """A block on a guide along x, on a strap and a damper to the ground."""
    block = fb.RigidBody("block", MASS, (1, 1, 1), center=(1.2, 0, 0))
    guide = fb.Prismatic("guide", fb.GROUND, block, point=(1.2, 0, 0), axis="x")
    strap = Strap("strap", fb.GROUND, block, k, K3, (0.0, 0.0, 0.0))
    damper = fb.ForceElement("damper", fb.Along(guide), Viscous(D))
    return fb.System([block], [guide], [strap, damper])


@pytest.fixture(scope="module")
def result():
    return fb.simulate(machine_with(), 1.0, integrator=EXPLICIT, show_progress=False)


def test_it_moves_as_its_law_says(result):
    def slope(t, y):
        x = y[0] + 0.2
        return [y[1], -(K * x + K3 * x**3 + D * y[1]) / MASS]

    exact = solve_ivp(slope, (0, 1), [0, 0], t_eval=result.t, rtol=1e-10, atol=1e-12, method="DOP853").y
    np.testing.assert_allclose(result.coordinate("guide"), exact[0], atol=1e-8)
    strap, damper = result.element("strap"), result.element("damper")
    np.testing.assert_allclose(strap.deformation, 0.2 + exact[0], atol=1e-8)
    np.testing.assert_allclose(strap.force, K * strap.deformation + K3 * strap.deformation**3, atol=1e-9)
    np.testing.assert_allclose(damper.force, D * exact[1], atol=1e-7)
    np.testing.assert_allclose(damper.dissipated, D * exact[1] ** 2, atol=1e-6)
    assert (strap.units["force"], strap.units["deformation"]) == ("N", "m")


def test_it_is_saved_and_loaded(result, tmp_path):
    """By the name of its module and its class: the law itself comes back, and not its forces over time."""
    result.save(tmp_path / "run.h5")
    again = fb.load_result(tmp_path / "run.h5")
    strap, damper = again.system.forces
    assert type(strap) is Strap
    assert (strap.k, strap.k3, tuple(strap.anchor)) == (K, K3, (0.0, 0.0, 0.0))
    assert type(damper.law) is Viscous
    np.testing.assert_array_equal(again.element("strap").force, result.element("strap").force)
    longer = fb.simulate(again.system, 1.5, integrator=EXPLICIT, show_progress=False)
    assert longer.t[-1] == 1.5  # the loaded law is no record of forces up to 1 s
    assert longer.energy.balance_error < 1e-8


def test_it_is_drawn(result):
    """Its spring as all springs, the unknown symbols as plain elements; no motor turns."""
    scene = machine.scene_of(result, forces=["strap", "damper"])
    own = {
        name: [p for p, owner in zip(scene.parts, scene.owners, strict=True) if owner == name]
        for name in ("strap", "damper")
    }
    assert any(isinstance(part, Spring) for part in own["strap"])
    for name in own:
        assert [part.colour for part in own[name] if isinstance(part, Barrel)] == [colours.PLAIN]
        assert f"element {name}" in {getattr(part, "name", "") for part in scene.parts}
    assert fb.picture(result, size=(160, 120)).shape == (120, 160, 3)


def test_its_problems_and_its_input_are_those_of_the_law(result):
    with pytest.raises(fb.InputError, match=r"Strap 'strap': k is -1.0; give a number not below zero"):
        machine_with(-1.0)
    space = fb.linearize(machine_with()).state_space(velocities=["block"])
    assert space.inputs == ("strap force", "damper force")
    assert fb.equilibrium(machine_with()).coordinate("guide") == pytest.approx(-0.2)


def test_six_deformations_without_a_symbol_are_two_blocks():
    """A law of six deformations on the geometry between two frames."""

    @dataclass(frozen=True, eq=False)
    class Soft(ForceLaw):
        function: ClassVar = "bushing"
        count: ClassVar = 6

        def numbers(self) -> list[float]:
            return [*(10.0 * np.eye(6)).ravel(), *np.eye(6).ravel(), *[0.0] * 6]

    block = fb.RigidBody("block", MASS, (1, 1, 1), center=(1.0, 0, 0))
    mount = fb.ForceElement("mount", Between(fb.GROUND, block, first_point=(1, 0, 0)), Soft())
    other = fb.Bushing("mount", fb.GROUND, block, stiffness=[10.0] * 6, damping=[1.0] * 6, point=(1, 0, 0))
    runs = [
        fb.simulate(fb.System([block], forces=[f], gravity=(0, 0, -1)), 0.5, show_progress=False)
        for f in (mount, other)
    ]
    np.testing.assert_array_equal(runs[0].position("block"), runs[1].position("block"))
    scene = machine.scene_of(runs[0])
    parts = [part for part, owner in zip(scene.parts, scene.owners, strict=True) if owner == "mount"]
    assert [(part.body, part.colour) for part in parts] == [
        ("ground", colours.PLAIN),
        ("block", colours.PLAIN),
    ]


@pytest.mark.parametrize("stiffness", [np.nan, 10.0])
def test_why_six_forces_are_not_finite(stiffness):
    """A law that gives no finite force is told from ends that have rotated by half a turn."""

    @dataclass(frozen=True, eq=False)
    class Soft(ForceLaw):
        function: ClassVar = "bushing"
        count: ClassVar = 6

        def numbers(self) -> list[float]:
            return [*(stiffness * np.eye(6)).ravel(), *[0.0] * 36, *[0.0] * 6]

    block = fb.RigidBody("block", MASS, (1, 1, 1), center=(1.0, 0, 0), angular_velocity=(20.0, 0, 0))
    mount = fb.ForceElement("mount", Between(fb.GROUND, block, first_point=(1, 0, 0)), Soft())
    says = "its force is not finite at t = 0 s" if np.isnan(stiffness) else "its ends .* by half a turn"
    with pytest.raises(fb.InputError, match=f"ForceElement 'mount': {says}"):
        fb.simulate(fb.System([block], forces=[mount]), 1.0, step=1e-3, show_progress=False)
