"""Valid calls of the package ``modal``."""

from dataclasses import fields

import numpy as np

import fem
import modal

from .parts import NOWHERE, Calls, Parts


def calls(p: Parts) -> Calls:
    """Return the arguments of a valid call by the name of what is called."""
    return {
        **_bases(p),
        **_bodies(p),
        **_quality(p),
        **_assumed(p),
        **_methods_of_bodies(p),
        **_methods_of_stress(p),
    }


def _bases(p: Parts) -> Calls:
    structure, both = dict(structure=p.fe), dict(interfaces=("x0", "x1"))
    given = dict(Phi=p.basis.Phi, labels=p.basis.labels, interfaces=p.basis.interfaces, kind="given")
    return {
        "modal.Basis": structure | given,
        "modal.all_degrees_of_freedom": structure | dict(supports="x0", interfaces=("x1",)),
        "modal.attachment_modes": structure | dict(at="x1", supports="x0"),
        "modal.combine": dict(bases=p.basis),
        "modal.constraint_modes": structure | both | dict(interface=modal.Averaged()),
        "modal.craig_bampton": structure | both | dict(n_normal=2, interface=modal.Averaged()),
        "modal.craig_chang": structure | both | dict(n_normal=2),
        "modal.displacement_modes": structure | dict(at="x1", supports="x0"),
        "modal.eigenmodes": structure | dict(n=2, supports=(), masses=(fem.PointMass("x1", 1.0),)),
        "modal.following_modes": dict(structure=p.track, stations=p.stations, components=("y", "z")),
        "modal.inertia_modes": structure | dict(supports="x0", interfaces=(), rotation=False),
        "modal.static_modes": structure | dict(loads=[fem.Force("x1", (0, 0, 1))], supports="x0"),
    }


def _bodies(p: Parts) -> Calls:
    reduced = dict(basis=p.basis, frame=None, markers=(), name="n", stiffening=None, stress=True, loads=None)
    return {
        "modal.Chord": dict(a="x0", b="x1"),
        "modal.FixedPoint": dict(at="x0"),
        "modal.Prescribed": dict(held={"x0": ("x", "y", "z", "rx"), "x1": ("y", "z")}),
        "modal.ReducedBody": {field.name: getattr(p.reduced, field.name) for field in fields(p.reduced)},
        "modal.reduce": dict(structure=p.fe) | reduced,
        "modal.load": dict(path=NOWHERE + ".h5"),
        "modal.read_sid": dict(path=NOWHERE + ".sid", units="SI", name=None),
        "modal.lower": dict(body=p.reduced, ceiling_hz=1e5, modes=None, matter_hz=None),
        "modal.tune": dict(body=p.reduced, exact_hz={0: 1000.0}),
    }


def _quality(p: Parts) -> Calls:
    structure, both = dict(structure=p.fe), dict(interfaces=("x0", "x1"))
    return {
        "modal.accuracy": structure | both | dict(reduced=p.reduced, n=2),
        "modal.interface_effect": structure | both | dict(n=2),
        "modal.lumping": structure | dict(basis=p.basis, n=2),
        "modal.recommend": structure
        | both
        | dict(f_max_hz=1000.0, loads=(fem.Force("x1", (0, 0, 1)),), follow=()),
        "modal.stress_error": structure | both | dict(body=p.reduced),
    }


def _assumed(p: Parts) -> Calls:
    sine, end = modal.assumed.sines(1), modal.assumed.End
    beam = dict(
        length=1.0, rho=7850.0, area=1e-4, EI=100.0, EA=1e6, polar_inertia=0.0, y=modal.assumed.sines(2), z=(), x=(),
        frame=None, markers={"end": 1.0}, stiffening=None, name="beam",
    )  # fmt: skip
    plate = dict(
        size=(1.0, 1.0), thickness=0.01, material=p.steel, w=modal.assumed.products(sine, sine), frame=None,
        markers={"corner": (0.5, 0.5)}, rotary=False, name="plate",
    )  # fmt: skip
    return {
        "modal.assumed.End": None,
        "modal.assumed.Natural": dict(function=np.polynomial.Polynomial([0.0, 1.0])),
        "modal.assumed.beam": beam,
        "modal.assumed.beam_modes": dict(n=2, start=end.CLAMPED, end=end.FREE),
        "modal.assumed.plate": plate,
        "modal.assumed.products": dict(x=sine, y=sine),
        "modal.assumed.sines": dict(n=2),
    }


def _methods_of_bodies(p: Parts) -> Calls:
    body, turn = dict(self=p.reduced), dict(R=np.eye(3))
    sine, quintic = modal.assumed.sines(1), modal.assumed.quintic()
    beam = dict(rho=7850.0, area=1e-4, EI=100.0, EA=1e6, y=sine, x=quintic, stiffening=modal.AxialModes())
    axial = modal.assumed.beam(1.0, **beam).axial
    return {
        "modal.ReducedBody.export": body | dict(path=NOWHERE + ".npz", by_mode=False),
        "modal.ReducedBody.marker": body | dict(name="x0"),
        "modal.ReducedBody.report": body | dict(structure=p.fe),
        "modal.ReducedBody.save": body | dict(path=NOWHERE + ".h5"),
        "modal.ReducedBody.turned": body | turn,
        "modal.ReducedBody.with_accuracy": body | dict(structure=p.fe, interfaces=None, n=2),
        "modal.AxialEnergy.energy": dict(self=axial, alpha=np.zeros(axial.quadratic.shape[-1])),
        "modal.Marker.turned": dict(self=p.reduced.markers["x0"]) | turn,
        "modal.Recovery.turned": dict(self=p.reduced.surface.read()) | turn,
    }


def _methods_of_stress(p: Parts) -> Calls:
    modes = p.reduced.stress_modes
    at_rest = dict(self=modes, alpha=np.zeros((1, p.reduced.N)))
    return {
        "modal.StressModes.measure": at_rest | dict(what="von_mises", rows=None, extremes=None),
        "modal.StressModes.on_surface": at_rest | dict(what="von_mises"),
        "modal.StressModes.principal_axes": at_rest | dict(rows=[0]),
        "modal.StressModes.rows_of": dict(self=modes, name="x0"),
        "modal.StressModes.section_forces": at_rest | dict(rows=[]),
        "modal.StressModes.stress": at_rest | dict(rows=[0]),
        "modal.StressModes.turned": dict(self=modes, R=np.eye(3)),
    }
