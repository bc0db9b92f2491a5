"""Rotating cantilevers from the reduced body of a mesh: frequencies against exact ones, Campbell's table."""

import functools

import numpy as np
import pytest
from reference import rotating_beam
from support.frames import line
from support.images import picture, shows_something
from support.linear import Turning
from support.shell_meshes import grid

import fem
import flexbody as fb
import modal
from flexbody.compile.plan import make_plan

STEEL = fem.Isotropic(E=0.2e12, nu=0.3, rho=7870.0)
#: flap frequencies mu for eta at hub radius 0: an independent Galerkin solution with 20 polynomials that agrees with
#: published tables (Wright et al., J. Appl. Mech. 49 (1982) 197) to four decimals
TABLE = {0: (3.516, 22.0345), 3: (4.7973, 23.3203), 6: (7.3604, 26.8091), 12: (13.1702, 37.6031)}


def test_power_series_is_right():
    """To the table's last digit."""
    for eta, flap in TABLE.items():
        np.testing.assert_allclose(rotating_beam.flap(float(eta)), flap, rtol=0, atol=5.1e-5)


@functools.cache
def round_blade(per_plane: int = 6):
    """A rod of 1 m, 5 mm thick (rotary inertia and shear are worth 1e-5), and sqrt(EI / rho A L^4)."""
    section = fem.Circle(0.005)
    structure = fem.assemble(line([(0, 0, 0), (1, 0, 0)], 30), fem.Beam(STEEL, section, shear=False))
    basis = modal.craig_bampton(structure, ("start",), n_normal=2 * per_plane)
    return modal.reduce(structure, basis), np.sqrt(STEEL.E * section.Iy / (STEEL.rho * section.A))


@functools.cache
def solid_blade():
    """A square bar, L/h = 100, of 40 bricks: shear and rotary inertia take 2e-4 off the second frequency."""
    h = 0.01
    mesh = fem.box((1, h, h), (40, 1, 1), "hex20", origin=(0, -h / 2, -h / 2))
    structure = fem.assemble(mesh.select("start", plane=((0, 0, 0), (1, 0, 0))), STEEL)
    basis = modal.craig_bampton(structure, ("start",), n_normal=12)
    return modal.reduce(structure, basis), np.sqrt(STEEL.E * h**2 / 12 / STEEL.rho)


def rotor(reduced, rate, hub_radius=0.0):
    """A blade on a driven rotor that turns about z."""
    blade = fb.FlexibleBody("blade", reduced, origin=(hub_radius, 0, 0))
    hub = fb.RigidBody("hub", 1.0, (1, 1, 1))
    bearing = fb.Revolute("bearing", fb.GROUND, hub, point=(0, 0, 0), axis="z")
    root = fb.Fixed("root", hub, blade["start"])
    return fb.System([hub, blade], [bearing, root, fb.Drive("motor", bearing, rate=rate)])


def errors(reduced, unit, eta, hub_radius):
    """Relative errors of (lag 1, flap 1, lag 2, flap 2)."""
    system = rotor(reduced, eta * unit, hub_radius)
    linear = fb.linearize(system, spin=(0, 0, eta * unit))
    assert linear.stable
    flap, lag = rotating_beam.flap(eta, hub_radius), rotating_beam.lag(eta, hub_radius)
    exact = np.array([lag[0], flap[0], lag[1], flap[1]])
    return linear.frequencies_hz[:4] * 2 * np.pi / unit / exact - 1


@pytest.mark.parametrize("eta", [0.0, 3.0, 6.0, 12.0])
def test_six_modes_on_the_axis(eta):
    """Hub radius 0: flap within 0.1 %, lag within 0.3 %."""
    found = np.abs(errors(*round_blade(), eta, 0.0))
    assert found[[1, 3]].max() < 1e-3
    assert found[[0, 2]].max() < 3e-3


@pytest.mark.parametrize("hub_radius", [1.0, 5.0])
@pytest.mark.parametrize("eta", [3.0, 12.0])
def test_hub_radius(hub_radius, eta):
    """Within 0.5 %: what six modes leave, which eight halve."""
    found = np.abs(errors(*round_blade(), eta, hub_radius)).max()
    assert found < 5e-3
    if eta == 12:
        assert np.abs(errors(*round_blade(8), eta, hub_radius)).max() < 0.7 * found


@pytest.mark.parametrize(("eta", "hub_radius"), [(0.0, 0.0), (12.0, 0.0), (6.0, 1.0)])
def test_solid(eta, hub_radius):
    """Within 0.5 % from bricks."""
    assert np.abs(errors(*solid_blade(), eta, hub_radius)).max() < 5e-3


def shells(size):
    """A strip of 40 shells, 2 mm thick, without lateral contraction: a beam's bending exactly."""
    plain = fem.Isotropic(E=STEEL.E, nu=0.0, rho=STEEL.rho)
    points, quads = grid("quad4", 40, 1, lambda s, t: (size[0] * s, size[1] * (t - 0.5), 0 * s))
    mesh = fem.Mesh(
        points, (fem.Block("quad4", quads),), {"start": np.array([0, 41]), "end": np.array([40, 81])}
    )
    structure = fem.assemble(mesh, fem.Shell(plain, 0.002))
    return modal.reduce(structure, modal.craig_bampton(structure, ("start", "end"), n_normal=12))


@pytest.mark.parametrize("eta", [0.0, 6.0])
def test_shells(eta):
    """Flap 1 of a strip that turns about its normal, within 0.5 %."""
    unit = np.sqrt(STEEL.E * 0.002**2 / 12 / STEEL.rho)
    found = fb.linearize(rotor(shells((1.0, 0.04)), eta * unit), spin=(0, 0, eta * unit))
    flap = rotating_beam.flap(eta)[0]
    flaps = found.frequencies_hz * 2 * np.pi / unit
    # the strip is stiff across: nothing else is near
    assert np.abs(flaps / flap - 1).min() < 5e-3
    assert (np.abs(flaps / flap - 1) < 0.2).sum() == 1


def test_a_column_of_shells():
    """Euler's load of the cantilever, pi^2 EI / 4 L^2, within 0.5 %: the square of a frequency crosses zero there."""
    reduced = shells((1.0, 0.04))
    critical = np.pi**2 / 4 * STEEL.E * 0.04 * 0.002**3 / 12

    def lowest(load):
        body = fb.FlexibleBody("column", reduced)
        system = fb.System(
            [body],
            [fb.Fixed("root", fb.GROUND, body["start"])],
            [fb.PointForce("load", body["end"], (-load, 0, 0))],
        )
        return np.sort(-(fb.linearize(system).eigenvalues ** 2).real)[0]

    assert lowest(0.995 * critical) > 0 > lowest(1.005 * critical)


def test_linear_theory_is_wrong():
    """Without stiffening lag 1 comes out a third too low at eta = 6, and flap 1 a tenth."""
    reduced, unit = round_blade()
    system = rotor(reduced, 6 * unit)
    body = system.body("blade")
    bare = fb.FlexibleBody("blade", body.reduced, stiffening=False)
    bare = fb.System([system.body("hub"), bare], system.joints)
    found = fb.linearize(bare, spin=(0, 0, 6 * unit)).frequencies_hz[:2] * 2 * np.pi / unit
    exact = [rotating_beam.lag(6.0)[0], rotating_beam.flap(6.0)[0]]
    assert (found < 0.95 * np.array(exact)).all()


def test_against_an_older_program():
    """All frequencies of a clamped blade as by differences of the residual in coordinates of its own; 1e-6."""
    reduced, unit = round_blade()
    rate = (0, 0, 6 * unit)
    body = fb.FlexibleBody("blade", reduced)
    system = fb.System([body], [fb.Fixed("root", fb.GROUND, body["start"])])
    exact = Turning(make_plan(system), rate).frequencies()
    # the clamp is on the ground, which does not turn: the same instant with a rotor between
    found = fb.linearize(rotor(reduced, 6 * unit), spin=rate).frequencies_hz * 2 * np.pi
    np.testing.assert_allclose(found, exact, rtol=1e-6)


def test_a_clamp_on_the_ground_does_not_turn():
    body = fb.FlexibleBody("blade", round_blade()[0])
    system = fb.System([body], [fb.Fixed("root", fb.GROUND, body["start"])])
    with pytest.raises(fb.InputError, match=r"can't turn as a whole at 10 rad/s.*'root' misses by"):
        fb.linearize(system, spin=(0, 0, 10))


class TestCampbell:
    ETA = np.array([0.0, 3.0, 6.0, 12.0])

    @functools.cached_property
    def table(self):
        reduced, unit = round_blade()
        return fb.campbell(lambda rate: rotor(reduced, rate), self.ETA * unit, modes=4), unit

    def test_modes_are_followed(self):
        """Flap 1 and 2 are two of the columns, lag 1 and 2 the others, at every rate; at rest each pair is one."""
        table, unit = self.table
        found = table.frequencies_hz * 2 * np.pi / unit
        exact = [
            f(eta)[k] for k in (0, 1) for f in (rotating_beam.lag, rotating_beam.flap) for eta in self.ETA
        ]
        np.testing.assert_allclose(found.T.ravel(), exact, rtol=3e-3)
        assert table.mac.min() > 0.99
        assert np.abs(table.damping_ratios).max() < 1e-6

    def test_curves_that_cross(self):
        """A strip that flaps at half the frequency of its lag at rest: flap rises faster and crosses lag."""
        section = fem.Rectangle(0.02, 0.01)
        structure = fem.assemble(line([(0, 0, 0), (1, 0, 0)], 16), fem.Beam(STEEL, section, shear=False))
        reduced = modal.reduce(structure, modal.craig_bampton(structure, ("start",), n_normal=12))
        stiff, soft = (np.sqrt(STEEL.E * I / (STEEL.rho * section.A)) for I in (section.Iz, section.Iy))
        rates = np.array([0.0, 1.0, 2.0, 3.0, 4.0]) * stiff
        table = fb.campbell(lambda rate: rotor(reduced, rate), rates, modes=2)
        flap = [rotating_beam.flap(rate / soft)[0] * soft for rate in rates]
        lag = [rotating_beam.lag(rate / stiff)[0] * stiff for rate in rates]
        assert flap[0] < lag[0]
        assert flap[-1] > lag[-1]
        found = table.frequencies_hz * 2 * np.pi
        # rotary inertia of a section 2 cm high is worth (r / L)^2 of some units
        np.testing.assert_allclose(found[:, 0], flap, rtol=3e-3)
        np.testing.assert_allclose(found[:, 1], lag, rtol=3e-3)

    def test_more_modes_than_there_are(self):
        """All are given, and a warning says how many; nothing is said where nobody asked for so many."""
        reduced, unit = round_blade()
        count = rotor(reduced, 0.0).n_modes
        with pytest.warns(fb.FlexbodyWarning, match=rf"the machine has {count} modes, not 999; all of them"):
            table = fb.campbell(lambda rate: rotor(reduced, rate), [3.0 * unit], modes=999)
        assert table.frequencies_hz.shape == (1, count)
        assert fb.campbell(lambda rate: rotor(reduced, rate), [3.0 * unit]).frequencies_hz.shape == (1, 6)

    def test_prints_and_draws(self, tmp_path):
        table, _ = self.table
        lines = repr(table).splitlines()
        assert len(lines) == 1 + len(self.ETA)
        assert "mode 4 Hz" in lines[0]
        axes = table.plot(tmp_path / "campbell.png").axes[0]
        assert shows_something(picture(tmp_path / "campbell.png"))
        drawn = [line for line in axes.lines if line.get_label().startswith("mode")]
        np.testing.assert_array_equal(drawn[1].get_ydata(), table.damped_frequencies_hz[:, 1])

    def test_bad_input(self, tmp_path):
        reduced, unit = round_blade()
        system = rotor(reduced, 3 * unit)
        with pytest.raises(fb.InputError, match=r"at 50 rad/s: .*drive 'motor' misses"):
            fb.campbell(system, [3 * unit, 50.0])
        with pytest.raises(fb.InputError, match="must return a System"):
            fb.campbell(lambda rate: rate, [1.0])
        other = fb.System([fb.RigidBody("disc", 1.0, (1, 1, 1))])
        words = r"machine\(0\) has the bodies .*'blade' \(\d+ modes\).*machine\(2\) has 'disc' \(0 modes\); shapes"
        with pytest.raises(fb.InputError, match=words):
            fb.campbell(lambda rate: other if rate == 2 else rotor(reduced, rate), [0.0, 1.0, 2.0])
        with pytest.raises(fb.InputError, match="rates must be finite numbers, not 'fast'"):
            fb.campbell(system, "fast")
        with pytest.raises(fb.InputError, match="ending must be"):
            self.table[0].plot(tmp_path / "campbell.doc")
