"""Who is told that a body has no stiffening terms: those whose machine would want them, and who did not say so."""

import functools
import warnings

import pytest
from support.frames import line

import fem
import flexbody as fb
import modal

STEEL = fem.Isotropic(E=0.2e12, nu=0.3, rho=7870.0)


@functools.cache
def beam(frame="mean", stiffening=None):
    structure = fem.assemble(line([(0, 0, 0), (1, 0, 0)], 6), fem.Beam(STEEL, fem.Circle(0.01)))
    basis = modal.craig_bampton(structure, ("start", "end"), n_normal=2)
    return modal.reduce(
        structure,
        basis,
        frame=modal.Chord("start", "end") if frame == "chord" else None,
        stiffening=stiffening,
    )


def formula(**options):
    return modal.assumed.beam(
        1.0,
        mass=0.6,
        EI=98.0,
        polar_inertia=1e-4,
        y=modal.assumed.quintic(),
        z=modal.assumed.quintic(),
        **options,
    )


def blade(reduced, rate=10.0, **options):
    body = fb.FlexibleBody("blade", reduced, **options)
    hub = fb.RigidBody("hub", 1.0, (1, 1, 1))
    bearing = fb.Revolute("bearing", fb.GROUND, hub, point=(0, 0, 0), axis="z")
    joints = [bearing, fb.Fixed("root", hub, body["start"]), fb.Drive("motor", bearing, rate=rate)]
    return fb.System([hub, body], joints)


def column(reduced, **options):
    body = fb.FlexibleBody("column", reduced, **options)
    foot = fb.Universal("foot", fb.GROUND, body["start"], axes=("y", "z"))
    top = fb.PointOnLine("top", fb.GROUND, body["end"], axis="x")
    return fb.System([body], [foot, top], [fb.PointForce("load", body["end"], (-1.0, 0, 0))])


def told(system, run):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run(system)
    return [str(w.message) for w in caught if "no stiffening terms" in str(w.message)]


def simulated(system):
    fb.simulate(system, 1e-5, show_progress=False)


def linearized(system):
    fb.linearize(system)


@pytest.mark.parametrize("run", [simulated, linearized])
@pytest.mark.parametrize(
    ("make", "reduced", "said"),
    [
        (blade, formula, "'blade' turns and has .*base functions from formulas have none"),
        (blade, functools.partial(beam, "chord"), r"'blade' turns and .*modal.MeanDisplacement\(\) has them"),
        (column, functools.partial(beam, "chord"), "'column' is held or loaded at 'start', 'end' and has no"),
        (column, formula, "'column' is held or loaded at 'start', 'end' and has no"),
    ],
)
def test_once_where_it_matters(make, reduced, said, run):
    found = told(make(reduced()), run)
    assert len(found) == 1
    with pytest.warns(fb.FlexbodyWarning, match=said):
        run(make(reduced()))


@pytest.mark.parametrize(
    "system",
    [
        lambda: blade(beam()),
        lambda: column(beam()),
        lambda: column(beam("chord", stiffening=False)),
        lambda: column(beam("chord"), stiffening=False),
        lambda: blade(formula(stiffening=False)),
        lambda: blade(formula(), stiffening=False),
        lambda: blade(formula(), rate=0.0),
        lambda: fb.System([fb.FlexibleBody("free", formula())]),
    ],
)
def test_of_no_other(system):
    assert not told(system(), simulated)
