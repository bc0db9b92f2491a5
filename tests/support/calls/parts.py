"""Small objects of all kinds, of which the valid calls are made."""

from functools import cache
from typing import Any

import numpy as np

import fem
import flexbody as fb
import modal

#: what is called, with the arguments of a valid call; None if no call is valid
Calls = dict[str, dict[str, Any] | None]

#: the beginning of the names of files that can't be
NOWHERE = "no such folder/a"


class Parts:
    """Small objects of all kinds, made once."""

    def __init__(self) -> None:
        self.steel = fem.Isotropic(210e9, 0.3, 7850.0)
        self.mesh = fem.box((0.15, 0.014, 0.01), (4, 1, 1))
        self.section = fem.Circle(0.01)
        self.fe = fem.assemble(self.mesh, self.steel)
        self.u = np.zeros(self.fe.n)
        self.static = fem.static(self.fe, "x0", [fem.Force("x1", (0, 0, -1))])
        self.stress = fem.stress(self.fe, self.static.u)
        self.line = fem.Mesh(
            [[0, 0, 0], [0.1, 0, 0]],
            [fem.Block("line2", [[0, 1]])],
            {"x0": [0], "x1": [1]},
            element_sets={"all": [0]},
        )
        self.frame = fem.assemble(self.line, fem.Beam(self.steel, self.section))
        self.sheet = fem.Mesh(
            [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]],
            [fem.Block("quad4", [[0, 1, 2, 3]])],
            {"e": [0, 1], "f": [2, 3]},
        )
        self.basis = modal.craig_bampton(self.fe, interfaces=("x0", "x1"), n_normal=2)
        self.reduced = modal.reduce(self.fe, self.basis, loads={"wind": fem.Traction("x1", (0, 0, 1))})
        self.crank = fb.RigidBody("crank", 0.5, (1e-4,) * 3, center=(0.02, 0, 0), markers={"m": (0, 0, 0)})
        place = {"x0": (0.04, 0, 0), "x1": (0.19, 0, 0)}
        self.rod = fb.FlexibleBody("rod", self.reduced, place=place, up=(0, 0, 1))
        self.hinge = fb.Revolute("main", fb.GROUND, self.crank, point=(0, 0, 0))
        self.pin = fb.Revolute("pin", self.crank, self.rod["x0"])
        self.slide = fb.Prismatic("slide", fb.GROUND, self.crank, point=(0, 0, 0))
        self.wind = fb.Input("wind", 1.0)
        self.motor = fb.ForceElement("motor", fb.Along(self.hinge), fb.Linear(1.0, 0.1, force=self.wind))
        self.system = fb.System([self.crank, self.rod], [self.hinge, self.pin], [self.motor])
        self.result = fb.simulate(self.system, 1e-3, step=1e-4, output_step=1e-4, show_progress=False)
        self.pendulum = fb.System([self.crank], [self.hinge], gravity=(9.81, 0, 0))
        self.rotor = fb.System([self.crank], [self.hinge])
        self.rest = fb.equilibrium(self.pendulum)
        self.linear = fb.linearize(self.rest)
        self.stepper = fb.Stepper(self.system, step=1e-4)
        self.stations = tuple(f"s{k}" for k in range(9))
        self.track = self._track()
        beam = fb.FlexibleBody("beam", modal.reduce(self.track, self._following()))
        self.load = fb.RigidBody("load", 1.0, (1e-3,) * 3, center=(0.3, 0, 0))
        self.rail = fb.PointOnGuideway("rail", beam, self.load, stations=self.stations, point=(0.3, 0, 0))
        self.beam = beam
        self.line_of_force = fb.Line(fb.GROUND, self.crank, first_point=(0, 0, 1), second_point=(0, 0, 0))

    def _track(self) -> fem.Structure:
        """A beam with stations along it."""
        x = np.linspace(0, 1, len(self.stations))
        cells = np.stack([np.arange(len(x) - 1), np.arange(1, len(x))], axis=1)
        sets = {name: [k] for k, name in enumerate(self.stations)}
        mesh = fem.Mesh(np.stack([x, 0 * x, 0 * x], axis=1), (fem.Block("line2", cells),), sets)
        return fem.assemble(mesh, fem.Beam(self.steel, self.section))

    def _following(self) -> modal.Basis:
        own = modal.craig_bampton(self.track, ("s0", "s8"), n_normal=2)
        return modal.combine(own, modal.following_modes(self.track, self.stations))


@cache
def parts() -> Parts:
    """Return the objects."""
    return Parts()
