"""SID files: round trips, dialects, damaged files, and the equations of motion that other programs make of them."""

import contextlib
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy
from support.cloud import Cloud, skew

import fem
import modal
from modal.body.sid import sid_of
from modal.body.sid_text import read_text, text_of

pytestmark = pytest.mark.slow  # together a second or more

#: files have 12 digits: 5e-12 of a number, of which a few are added
ROUNDING = 3e-11
INTEGRALS = ("mass", "C1", "C2", "C3", "C4", "C6", "C7", "C8", "K")


@pytest.fixture(scope="module")
def bar():
    steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    return fem.assemble(fem.box((1.0, 0.1, 0.05), (4, 1, 1)), steel)


def reduced(bar, frame=None):
    basis = modal.craig_bampton(bar, ("x0", "x1"), n_normal=2)
    return modal.reduce(bar, basis, name="bar", frame=frame, markers=("y0",), stress=False)


def close(a, b):
    assert np.abs(np.asarray(a) - np.asarray(b)).max() <= ROUNDING * max(np.abs(b).max(), 1e-300)


def same(read, body, origin=None):
    """``origin``: by default that of the mesh, or, where the frame is not the mean one, that of the frame."""
    for name in INTEGRALS:
        close(getattr(read, name), np.asarray(getattr(body, name)))
    close(read.C5, body.C5 if body.C5_stiffening is None else body.C5 + body.C5_stiffening)
    assert (read.mean, read.stiffened) == (body.mean, body.stiffened)
    close(read.origin, (body.origin if body.mean else np.zeros(3)) if origin is None else origin)
    for name, marker in body.markers.items():
        for key in ("point", "Phi", "B", "GF", "GM"):
            if getattr(marker, key) is not None:
                scale = np.abs(getattr(marker, key)).max()
                assert np.abs(
                    getattr(read.markers[name], key) - getattr(marker, key)
                ).max() <= ROUNDING * max(scale, 1)
        assert read.markers[name].has_rotation == marker.has_rotation


@pytest.mark.parametrize("frame", [None, modal.FixedPoint("x0"), modal.Unchanged()], ids=str)
@pytest.mark.parametrize("by_mode", [False, True])
def test_a_body_returns_from_its_file(bar, frame, by_mode, tmp_path):
    body = reduced(bar, frame)
    same(modal.read_sid(body.export(tmp_path / "bar.SID_FEM", by_mode=by_mode)), body)


def other_dialect(text):
    """The same file as FEMBeam and welib write it: m1(row, column, mode), J as a matrix, tabs, no counts."""
    text = re.sub(r"m1\(([ \d]+),([ \d]+),([ \d]+)\)", r"m1(\1,\3,\2)", text)
    head, J, rest = re.split(r"(?s)(\n +J +\n.*?end J *\n)", text, maxsplit=1)
    names = ["1, 1", "2, 2", "3, 3", "1, 2", "1, 3", "2, 3"]
    J = re.sub(r"m0\( (\d), 1\)", lambda m: f"m0({names[int(m[1]) - 1]})", J)
    J = re.sub(r"m1\( (\d), 1,([ \d]+)\)", lambda m: f"m1({names[int(m[1]) - 1]},{m[2]})", J)
    J = re.sub(r"ncol( +=) +1", r"ncol\1 3", re.sub(r"nrow( +=) +6", r"nrow\1 3", J))
    lines = (head + J + rest).splitlines()[1:]
    return "\n".join("\t" + line.strip().replace("D+00", "") for line in lines).replace(
        "\tframe", "\tnew frame", 1
    )


def test_files_of_other_programs(bar, tmp_path):
    body = reduced(bar)
    path = tmp_path / "bar.sid"
    path.write_text(other_dialect(sid_of(body, "mode")))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(modal.read_sid(path), body)


def test_a_second_order_of_zeros_is_none(bar, tmp_path):
    """FEMBS writes ``order = 1`` without entries, in any frame: there is nothing to leave out, and no warning."""
    body, path = reduced(bar, modal.FixedPoint("x0")), tmp_path / "bar.sid"
    before, phi, after = re.split(r"(?s)(\n +phi +\n.*?end phi)", sid_of(body), maxsplit=1)
    path.write_text(before + re.sub(r"(order +=) +0", r"\1    1", phi) + after)
    assert read_text(path).nodes[0].values["phi"].M1 is not None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(modal.read_sid(path), body)


def test_orders_of_columns_that_are_mixed(bar, tmp_path):
    """PY_SID writes Gr by modes and Ge by axes."""
    body, path = reduced(bar, modal.FixedPoint("x0")), tmp_path / "bar.sid"
    by_axis, by_mode = (
        re.split(r"(?s)(\n +Ge +\n.*?end Ge)", sid_of(body, by_mode)) for by_mode in (False, True)
    )
    path.write_text(by_mode[0] + by_axis[1] + by_mode[2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(modal.read_sid(path), body)


def sid_force(sid, omega, q, rate, a, spin, accel):
    """Inertia force (6 + N,) of the equations of motion that are usual for SID (MBSim, pymbs, CADynM), body components.

    Schertassek and Wallrapp 1999, (6.251), (6.253), (6.270), as their sources cite them.
    """
    of, n = sid.values, sid.n

    def at(name):
        return of[name].M0 + np.einsum("rjc,j->rc", of[name].first(n), q)

    J6, W = at("J")[:, 0], omega[[0, 1, 2, 0, 1, 0]] * omega[[0, 1, 2, 1, 2, 2]]
    J = np.array([[J6[0], J6[3], J6[4]], [J6[3], J6[1], J6[5]], [J6[4], J6[5], J6[2]]])
    mc, Ct, Cr, w = at("mdCM")[:, 0], at("Ct"), at("Cr"), skew(omega)
    Gr = np.einsum("amj,j->am", of["Gr"].M0.reshape(3, 3, n), rate)
    Ge = np.einsum("iaj,j->ia", of["Ge"].M0.reshape(n, 3, n), rate)
    force = sid.mass * a + skew(mc).T @ spin + Ct.T @ accel + w @ w @ mc + 2 * w @ Ct.T @ rate
    moment = skew(mc) @ a + J @ spin + Cr.T @ accel + Gr @ omega + w @ J @ omega
    modes = Ct @ a + Cr @ spin + of["Me"].M0 @ accel + Ge @ omega + at("Oe") @ W
    return force, moment, modes


def test_the_equations_of_programs_that_use_the_file_as_it_stands(tmp_path):
    """Against sums over point masses: force and modes exact, the moment with an error of order alpha^2."""
    rng = np.random.default_rng(4)
    cloud = Cloud.random(rng, modes=3)
    path = cloud.body().export(tmp_path / "cloud.sid")
    sid = read_text(path)
    omega, a, spin = rng.normal(size=(3, 3))
    q, rate, accel = rng.normal(size=(3, 3))
    errors = []
    for scale in (1e-1, 1e-2, 1e-3):
        state = (scale * q, scale * rate, a, spin, scale * accel)
        force, moment, modes = sid_force(sid, omega, *state)
        expected = cloud.inertia_force(np.eye(3), omega, *state[:2], a, spin, state[4])
        np.testing.assert_allclose(force, expected[:3], atol=1e-10 * np.abs(expected).max())
        np.testing.assert_allclose(modes, expected[6:], atol=1e-10 * np.abs(expected).max())
        errors.append(np.abs(moment - expected[3:6]).max())
    orders = np.log10(np.array(errors[:-1]) / errors[1:])
    np.testing.assert_allclose(orders, 2.0, atol=0.01)  # C5 is missing in J and Gr: quadratic, no other order


def test_units_of_the_file(bar, tmp_path):
    """A file in kg, mm, s: the same body with C8 and K in the new units, modal coordinates as they are."""
    body = reduced(bar)
    sid = read_text(body.export(tmp_path / "bar.sid"))
    powers = {"mdCM": 1, "Ct": 1, "J": 2, "Cr": 2, "Me": 2, "Gr": 2, "Ge": 2, "Oe": 2, "Ke": 2}
    for name, power in powers.items():
        _scale(sid.values[name], 1e3**power)
    for node in sid.nodes:
        for name in ("origin", "phi"):
            _scale(node.values[name], 1e3)
    (tmp_path / "mm.sid").write_text(text_of(sid))
    read = modal.read_sid(tmp_path / "mm.sid", units="mm-kg-s")
    same(read, body)
    np.testing.assert_allclose(read.frequencies_hz, body.frequencies_hz, rtol=1e-10)


def _scale(value, factor):
    value.M0 = value.M0 * factor
    value.M1 = None if value.M1 is None else value.M1 * factor


def test_a_file_in_millimetres_that_is_read_in_metres_is_doubted(tmp_path):
    """A beam of 300 m and 0.1 kg, as the file of one of 300 mm says if it is read without units=."""
    beam = modal.assumed.beam(300.0, mass=0.1, EI=12.7e6, y=modal.assumed.quintic())
    path = beam.export(tmp_path / "beam.SID_FEM")
    with pytest.warns(fem.FlexbodyWarning, match=r"units look wrong: 0\.1 kg and nodes up to 300 m apart"):
        modal.read_sid(path)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*units look wrong")
        warnings.filterwarnings("ignore", message=".*planar model")
        assert modal.read_sid(path, units="mm-kg-s").mass == pytest.approx(0.1)
    beam = modal.assumed.beam(0.3, mass=0.1, EI=12.7, y=modal.assumed.quintic())
    with pytest.warns(fem.FlexbodyWarning, match=r"units look wrong: 100 kg and nodes up to 0\.0003 m apart"):
        modal.read_sid(beam.export(tmp_path / "short.sid"), units="mm")  # a file in m


def test_a_frame_that_is_the_mean_but_not_at_the_centre_of_mass(bar, tmp_path):
    """C1 is not zero while Ct and Cr are; here it stands elsewhere than the mesh."""
    body = reduced(bar)
    sid = read_text(body.export(tmp_path / "bar.sid"))
    c = np.array([0.5, -0.2, 0.1])
    sid.values["mdCM"].M0 = body.mass * c[:, None]
    shifted = body.C3 + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
    sid.values["J"].M0 = shifted[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]][:, None]
    for node in sid.nodes:
        node.values["origin"].M0 += (c - body.origin)[:, None]
    (tmp_path / "other.sid").write_text(text_of(sid))
    read = modal.read_sid(tmp_path / "other.sid")
    same(read, body, origin=c)


CONTRADICTIONS = {"Ge differs": "Ge", "symmetric part of Gr": "Gr", "Oe.M0 differs": "Oe"}


@pytest.mark.parametrize("message", CONTRADICTIONS)
def test_files_that_contradict_themselves(message, bar, tmp_path):
    sid = read_text(reduced(bar).export(tmp_path / "bar.sid"))
    sid.values[CONTRADICTIONS[message]].M0 *= 1.5
    (tmp_path / "bar.sid").write_text(text_of(sid))
    with pytest.warns(fem.FlexbodyWarning, match=message):
        modal.read_sid(tmp_path / "bar.sid")


def test_files_that_were_cut_off_give_one_error_with_the_line(bar, tmp_path):
    text = sid_of(reduced(bar)).splitlines()
    path = tmp_path / "cut.sid"
    for count in [*range(0, 40), *range(40, len(text) - 1, 97)]:
        path.write_text("\n".join(text[:count]))
        with pytest.raises(fem.FileError, match=r"cut\.sid.*(line \d+|no line 'part')"):
            modal.read_sid(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"m0\( 1, 1\)", "m0(99, 1)"),
        (r"m1\( 1, 1, 1\)", "m1(1, 1)"),
        (r"= 7\.", "= seven."),
        (r"nelastq( +)= +\d+", r"nelastq\1= 99"),
        (r"\n +Oe +\n", "\n  Oee\n"),
        (r"nrow( +)= +3", r"nrow\1= 5"),
    ],
)
def test_damaged_lines_are_named(old, new, bar, tmp_path):
    path = tmp_path / "bad.sid"
    path.write_text(re.sub(old, new, sid_of(reduced(bar)), count=1))
    with pytest.raises(fem.FileError, match=r"bad\.sid, line \d+: "):
        modal.read_sid(path)


def test_random_damage_gives_a_body_or_one_error(bar, tmp_path):
    text, rng = sid_of(reduced(bar)), np.random.default_rng(5)
    path = tmp_path / "bad.sid"
    for _ in range(60):
        at = rng.integers(len(text), size=3)
        damaged = list(text)
        for k in at:
            damaged[k] = rng.choice(list("0123456789=(),.- DEx\n"))
        path.write_text("".join(damaged))
        with warnings.catch_warnings(), contextlib.suppress(fem.FileError):  # any other error fails
            warnings.simplefilter("ignore", fem.FlexbodyWarning)
            modal.read_sid(path)


def test_axial_modes_are_refused(tmp_path):
    beam = modal.assumed.beam(
        0.3, mass=0.1, EI=12.7, EA=1e6, y=modal.assumed.quintic(), x=modal.assumed.sines(1),
        stiffening=modal.AxialModes(),
    )  # fmt: skip
    with pytest.raises(fem.InputError, match="axial modes"):
        beam.export(tmp_path / "beam.sid")


def test_a_small_inertia_that_the_modes_leave_is_kept(bar, tmp_path):
    """Modes of a body that is held at one end leave little of its moments of inertia: no reason to raise them."""
    basis = modal.craig_bampton(bar, ("x0", "x1"), n_normal=4)
    body = modal.reduce(bar, basis, frame=modal.FixedPoint("x0"), stress=False, stiffening=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = modal.read_sid(body.export(tmp_path / "bar.sid"))
    np.testing.assert_allclose(read.C3, body.C3, atol=1e-11 * np.abs(body.C3).max())


def test_planar_files_get_the_inertia_that_they_lack(tmp_path):
    """Without moments about x and y no mass matrix is positive definite; motion in the plane does not use them."""
    beam = modal.assumed.beam(0.3, mass=0.1, EI=12.7, y=modal.assumed.quintic())  # no inertia about its axis
    path = beam.export(tmp_path / "beam.sid")
    with pytest.warns(fem.FlexbodyWarning, match="not positive definite"):
        read = modal.read_sid(path)
    moments = beam.C3.diagonal()
    added = np.diag(read.C3 - beam.C3)
    assert (added[moments > 0] < 1e-11 * moments.max()).all()
    np.testing.assert_allclose(added[moments == 0], 1e-3 * moments.max(), rtol=1e-9)


FOLDER = Path(__file__).resolve().parents[4] / "shared" / "meshes"


@pytest.mark.skipif(not FOLDER.is_dir(), reason="foreign files that are not part of this project")
@pytest.mark.parametrize(
    ("name", "mass", "frequencies"),
    [  # README of the files; the beam's density 7.85e-6 kg/mm^3 x 500 mm x 100 mm^2
        ("sid_five_node_model.sid_fem", 778.47, (49.6, 63.5)),
        ("sid_beam_3m.SID_FEM", 706.5, (9.09, 27.0, 56.6, 146.3)),
        ("sid_three_node_beam.sid_fem", 0.3925, ()),
    ],
)
def test_files_that_others_wrote(name, mass, frequencies):
    with pytest.warns(fem.FlexbodyWarning, match="its mass matrix is not positive definite"):
        body = modal.read_sid(FOLDER / name)
    assert body.mass == pytest.approx(mass, rel=1e-5)
    own = np.sqrt(scipy.linalg.eigh(body.K, body.C8, eigvals_only=True)) / (2 * np.pi)
    for found, expected in zip(own, frequencies, strict=False):
        assert found == pytest.approx(expected, rel=2e-3)
