"""A result, saved and loaded again, or read with nothing but h5py."""

import dataclasses
import json
import os

import h5py
import numpy as np
import pytest
from reference.machines import koppens_slider_crank, pendulum_machine
from support.cloud import Cloud

import flexbody as fb
import modal

ARRAYS = ("t", "c", "q", "all_alpha", "v", "vdot", "multipliers", "energies")


def everything() -> fb.System:
    """Rigid and flexible bodies, all joints, drives and loads of every kind, names that are no file names."""
    reduced = Cloud.random(np.random.default_rng(5), modes=3).body()
    twin = Cloud.random(np.random.default_rng(5), modes=3).body()  # equal numbers, another object
    beam = modal.assumed.beam(
        length=0.5,
        mass=0.4,
        EI=30.0,
        polar_inertia=1e-4,
        y=modal.assumed.sines(1),
        frame=modal.Chord("start", "end"),
    )
    one = fb.FlexibleBody("one/a", reduced, origin=(1, 0, 0), alpha=(0.01, 0, 0), alpha_dot=(0, 0.1, 0))
    meets = (1, 0, 0) + reduced.markers["q"].point - twin.markers["p"].point  # the ball joint is drawn closed
    two = fb.FlexibleBody("one|a", twin, origin=meets, damping_ratio=(0.01, 0.02, 0.03))
    rod = fb.FlexibleBody(
        "rod", beam, place={"start": (0, 1, 0), "end": (0, 1, 0.5)}, up=(1, 0, 0), damping_ratio=0.01,
        velocity=(0.1, 0, 0), angular_velocity=(0, 0.2, 0),
    )  # fmt: skip
    blocks = [
        fb.RigidBody(name, 1.0 + k, (0.1, 0.2, 0.25), center=(3.0 + k, 0, 0), markers={"..": (3.5 + k, 0, 0)})
        for k, name in enumerate((".", "plate", "cart", "bead", "Grüße"))
    ]
    tensor = [[0.2, 0.01, 0], [0.01, 0.2, 0.02], [0, 0.02, 0.2]]
    blocks[1] = dataclasses.replace(blocks[1], inertia=tensor)
    wheel = fb.Revolute("wheel", fb.GROUND, blocks[0], point=(3, 0, 0), axis=(1, 2, 3))
    guide = fb.Cylindrical("guide", blocks[0][".."], blocks[1], axis="-y")
    rail = fb.Prismatic("rail", fb.GROUND, blocks[2], point=(5, 0, 0), axis="x")
    joints = [
        wheel,
        guide,
        rail,
        fb.Drive("by rate", wheel, rate=2.0),
        fb.Drive("by angle", guide, value=lambda t: 0.3 * np.sin(9 * t), which="angle"),
        fb.Drive(
            "by position", rail, value=lambda t: t**2, velocity=lambda t: 2 * t, acceleration=lambda t: 2.0
        ),
        fb.Fixed("clamp", fb.GROUND, one["p"]),
        fb.Spherical("ball", one["q"], two["p"]),
        fb.Universal("cross", fb.GROUND, rod["start"], axes=("x", (0, 1, 1))),
        fb.PointOnLine("bar", fb.GROUND, blocks[3], point=(6, 0, 0), axis=(0, 0, 1)),
        fb.Planar("table", fb.GROUND, blocks[4], point=(7, 0, 0), axis="z"),
    ]
    forces = [
        fb.PointForce("push", two["s"], lambda t: (np.sin(5 * t), 0.0, 1.0)),
        fb.PointForce("follow", blocks[3], (1, 2, 3), point=(6, 0.1, 0), follows=True),
        fb.PointMoment("twist", rod["end"], (0, 0.01, 0)),
        fb.SpringDamper(
            "spring/1", fb.GROUND, rod["end"], stiffness=20.0, damping=0.1, first_point=(1, 1, 1)
        ),
        fb.SpringDamper(
            "jack", blocks[2], blocks[4], force=lambda t: 3 * t, free_length=0.5, second_point=(7, 1, 0)
        ),
    ]
    return fb.System([one, two, rod, *blocks], joints, forces, gravity=(0, -9.81, 1))


def run(system: fb.System, **options) -> fb.Result:
    return fb.simulate(system, 0.05, step=1e-3, output_step=5e-3, **options)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "run.h5"
    return run(everything(), save=path), path


@pytest.fixture(scope="module")
def loaded(saved):
    return fb.load_result(saved[1])


def same(one: fb.Result, other: fb.Result) -> None:
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.statistics == other.statistics
    assert one.undetermined == other.undetermined


class TestRoundTrip:
    def test_numbers_to_the_bit(self, saved, loaded):
        same(saved[0], loaded)

    def test_the_system(self, saved, loaded):
        system, again = saved[0].system, loaded.system
        for what in ("bodies", "joints", "forces"):
            names = [item.name for item in getattr(system, what)]
            assert [item.name for item in getattr(again, what)] == names
            assert [type(x) for x in getattr(again, what)] == [type(x) for x in getattr(system, what)]
        for name in saved[0].plan.layout._fields:
            value, other = (getattr(run.plan.layout, name) for run in (saved[0], loaded))
            if name.endswith(("_law", "_input")):  # addresses: only whether there is one
                np.testing.assert_array_equal(other != 0, value != 0)
            elif name == "coefficients":  # D comes from an eigenproblem, solved anew
                np.testing.assert_allclose(other, value, rtol=1e-12, atol=1e-12)
            else:
                np.testing.assert_array_equal(other, value, err_msg=name)

    def test_methods(self, saved, loaded):
        result = saved[0]
        for joint in result.system.joints:
            one, other = result.reaction(joint), loaded.reaction(joint.name)
            np.testing.assert_array_equal(one.force, other.force)
            np.testing.assert_array_equal(one.moment, other.moment)
            if not isinstance(joint, fb.Drive):
                for which in joint.coordinates:
                    np.testing.assert_array_equal(
                        result.coordinate(joint, which), loaded.coordinate(joint, which)
                    )
        for body in result.system.bodies:
            for method in (
                "position",
                "rotation",
                "euler",
                "velocity",
                "angular_velocity",
                "alpha",
                "alpha_dot",
            ):
                np.testing.assert_array_equal(
                    getattr(result, method)(body), getattr(loaded, method)(body.name)
                )
        rod, again = result.system.body("rod"), loaded.system.body("rod")
        np.testing.assert_array_equal(result.position(rod["middle"]), loaded.position(again["middle"]))
        np.testing.assert_array_equal(
            result.displacement("rod", "middle", relative_to=fb.Chord()),
            loaded.displacement("rod", "middle", relative_to=fb.Chord()),
        )
        assert result.energy.balance_error == loaded.energy.balance_error

    def test_saved_again(self, saved, loaded, tmp_path):
        """A loaded result saves as well as a computed one, over its own file too."""
        path = tmp_path / "again.h5"
        loaded.save(path)
        again = fb.load_result(path)
        same(saved[0], again)
        again.save(path)
        same(saved[0], fb.load_result(path))
        assert os.listdir(tmp_path) == ["again.h5"]

    def test_a_loaded_system_can_be_simulated(self, saved, loaded):
        """Functions of time are interpolated now: near the same motion, not to the bit."""
        again = run(loaded.system)
        np.testing.assert_allclose(again.c, saved[0].c, atol=2e-5)

    def test_surfaces_for_pictures(self, saved, loaded):
        for name in ("points", "Phi", "triangles"):
            one = getattr(saved[0].system.body("rod").turned.recovery, name)
            np.testing.assert_array_equal(getattr(loaded.system.body("rod").turned.recovery, name), one)

    def test_equal_reduced_data_once(self, saved, loaded):
        with h5py.File(saved[1]) as file:
            assert sorted(file["reduced"]) == ["0", "1"]
        assert loaded.system.body("one/a").reduced is loaded.system.body("one|a").reduced

    @pytest.mark.parametrize("machine", [pendulum_machine, koppens_slider_crank])
    def test_machines(self, machine, tmp_path):
        system, read = machine()
        result = fb.simulate(system, 0.02, step=1e-3)
        result.save(tmp_path / "run.h5")
        loaded = fb.load_result(tmp_path / "run.h5")
        same(result, loaded)
        if machine is koppens_slider_crank:
            for name, value in read(result).items():
                np.testing.assert_array_equal(read(loaded)[name], value)

    def test_a_free_body_without_joints(self, tmp_path):
        body = fb.RigidBody("b", 1.0, (1, 1, 1), velocity=(1, 0, 0))
        result = fb.simulate(fb.System([body]), 1.0, step=0.5, save=tmp_path / "run.h5")
        same(result, fb.load_result(tmp_path / "run.h5"))

    def test_redundant_reactions(self, tmp_path):
        """Least-norm reactions and the names of joints whose reactions are open survive."""
        body = fb.RigidBody("b", 1.0, (1, 1, 1))
        joints = [fb.Revolute(n, fb.GROUND, body, point=(0, 0, z)) for n, z in (("low", 0), ("high", 1))]
        with pytest.warns(fb.RedundantConstraintWarning, match="'low'.*'high'"):
            result = fb.simulate(fb.System([body], joints, gravity=(0, -9.81, 0)), 0.01, step=0.005)
        result.save(tmp_path / "run.h5")
        loaded = fb.load_result(tmp_path / "run.h5")
        assert loaded.undetermined == result.undetermined != ()
        np.testing.assert_array_equal(loaded.reaction("low").force, result.reaction("low").force)


class TestReadByAStranger:
    """With h5py alone."""

    def test_what_it_is(self, saved):
        with h5py.File(saved[1]) as file:
            assert file.attrs["program"] == "flexbody"
            assert file.attrs["kind"] == "result"
            assert file.attrs["schema_version"] == 3
            units = []
            file.visititems(
                lambda name, item: units.append((name, item)) if isinstance(item, h5py.Dataset) else None
            )
            for name, item in units:
                numbers = item.dtype.kind == "f" and not name.startswith("reduced")
                assert not numbers or "units" in item.attrs, name

    def test_bodies(self, saved):
        result = saved[0]
        with h5py.File(saved[1]) as file:
            time = file["time"][...]
            assert file["time"].attrs["units"] == "s"
            rod = file["bodies/rod"]
            np.testing.assert_array_equal(time, result.t)
            np.testing.assert_array_equal(rod["position"], result.position("rod"))
            np.testing.assert_array_equal(rod["rotation"], result.euler("rod"))
            np.testing.assert_array_equal(rod["angular_velocity"], result.angular_velocity("rod"))
            np.testing.assert_array_equal(rod["alpha"], result.alpha("rod"))
            middle = result.position(result.system.body("rod")["middle"])
            np.testing.assert_array_equal(rod["markers/middle"], middle)
            assert rod.attrs["kind"] == "flexible"
            assert file["bodies/plate"].attrs["mass"] == 2.0
            assert {group.attrs["name"] for group in file["bodies"].values()} == {
                body.name for body in result.system.bodies
            }

    def test_joints(self, saved):
        result = saved[0]
        with h5py.File(saved[1]) as file:
            wheel = file["joints/wheel"]
            assert wheel.attrs["kind"] == "Revolute"
            described = json.loads(bytes(wheel["description"][...]))
            assert described["first"] == {"kind": "ground"}
            assert described["second"] == {"kind": "body", "name": "."}
            np.testing.assert_array_equal(wheel["force"], result.reaction("wheel").force)
            np.testing.assert_array_equal(wheel["angle"], result.coordinate("wheel"))
            assert wheel["angle"].attrs["units"] == "rad"
            t = file["time"][...]
            np.testing.assert_allclose(file["joints/by angle/samples/value"], 0.3 * np.sin(9 * t), atol=1e-15)
            np.testing.assert_allclose(file["joints/by angle/samples/rate"], 2.7 * np.cos(9 * t), atol=1e-8)
            np.testing.assert_array_equal(file["energies/kinetic"], result.energy.kinetic)


class TestFiles:
    def test_foreign_and_missing_files(self, tmp_path, saved):
        with pytest.raises(fb.FileError, match="no file"):
            fb.load_result(tmp_path / "nothing.h5")
        (tmp_path / "text.h5").write_text("t, x\n0, 1\n")
        with pytest.raises(fb.FileError, match="not an HDF5 file"):
            fb.load_result(tmp_path / "text.h5")
        body = saved[0].system.body("rod").reduced.save(tmp_path / "rod.h5")
        with pytest.raises(fb.FileError, match="does not hold a flexbody result, but reduced body"):
            fb.load_result(body)
        with pytest.raises(fb.FileError, match="does not hold a flexbody reduced body, but result"):
            modal.load(saved[1])

    def test_truncated_anywhere(self, saved, tmp_path):
        content = saved[1].read_bytes()
        for share in (0.0, 0.2, 0.6, 0.999):
            (tmp_path / "run.h5").write_bytes(content[: int(share * len(content))])
            with pytest.raises(fb.FileError, match=r"run\.h5"):
                fb.load_result(tmp_path / "run.h5")

    @pytest.mark.parametrize(
        "entry", ["time", "bodies/plate", "reduced/0/core/C5", "joints/rail/multipliers", "statistics"]
    )
    def test_something_is_missing(self, saved, tmp_path, entry):
        (tmp_path / "run.h5").write_bytes(saved[1].read_bytes())
        with h5py.File(tmp_path / "run.h5", "a") as file:
            del file[entry]
        with pytest.raises(fb.FileError, match=r"run\.h5 is (incomplete or )?damaged"):
            fb.load_result(tmp_path / "run.h5")

    @pytest.mark.parametrize(
        ("kind", "message"),
        [
            (
                "__main__:Slot",
                "needs the class Slot, which the script that saved it defines: define it before loading",
            ),
            (
                "own.slots:Slot",
                r"needs the class Slot of the module own\.slots: import own\.slots before loading",
            ),
            ("Slot", r"is damaged: the class Slot is unknown"),
        ],
    )
    @pytest.mark.parametrize("part", ["joints/wheel", "forces/push"])
    def test_a_class_that_is_not_defined(self, saved, tmp_path, part, kind, message):
        path = tmp_path / "run.h5"
        path.write_bytes(saved[1].read_bytes())
        with h5py.File(path, "a") as file:
            text = json.loads(bytes(file[part]["description"][...])) | {"kind": kind}
            file[part].attrs["kind"] = kind
            del file[part]["description"]
            file[part]["description"] = np.frombuffer(json.dumps(text).encode(), dtype=np.uint8)
        with pytest.raises(fb.FileError, match=rf"run\.h5 {message}"):
            fb.load_result(path)

    def test_a_changed_byte_is_noticed(self, saved, tmp_path):
        with h5py.File(saved[1]) as file:
            info = file["bodies/plate/position"].id.get_chunk_info(0)
        content = bytearray(saved[1].read_bytes())
        content[info.byte_offset + info.size // 2] ^= 1
        (tmp_path / "run.h5").write_bytes(content)
        with pytest.raises(fb.FileError, match=r"run\.h5"):
            fb.load_result(tmp_path / "run.h5")

    def test_an_error_while_writing_leaves_the_old_file(self, saved, tmp_path, monkeypatch):
        path = tmp_path / "run.h5"
        saved[0].save(path)
        before = path.read_bytes()
        monkeypatch.setattr("flexbody.files.result_file._put_reaction", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError, match="division by zero"):
            saved[0].save(path)
        assert path.read_bytes() == before
        assert os.listdir(tmp_path) == ["run.h5"]

    def test_a_surface_whose_file_has_gone(self, tmp_path):
        """The result is saved all the same; only pictures miss something, and a warning says so."""
        beam = modal.assumed.beam(length=0.5, mass=0.4, EI=30.0, polar_inertia=1e-4, y=modal.assumed.sines(1))
        path = beam.save(tmp_path / "beam.h5")
        rod = fb.FlexibleBody("rod", modal.load(path))
        result = fb.simulate(fb.System([rod]), 0.01, step=0.005)
        path.unlink()
        with pytest.warns(
            fb.FlexbodyWarning, match=r"surface of .* is not saved: there is no file .*beam\.h5"
        ):
            result.save(tmp_path / "run.h5")
        loaded = fb.load_result(tmp_path / "run.h5")
        same(result, loaded)
        assert loaded.system.body("rod").reduced.recovery is None


@pytest.mark.parametrize("what", ["load", "drive", "motor"])
def test_functions_of_time_from_a_file_end_with_its_run(tmp_path, what):
    """Beyond its end a load kept its last value without a word."""
    body = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, body, point=(0, 0, 0), axis="y")

    def wave(t):
        return 0.1 * np.sin(3 * t)

    motor = fb.ElectricMotor(0.02, 2.0, 0.02, voltage=wave)
    more = {
        "load": dict(forces=[fb.PointForce("it", body, value=lambda t: (0.0, 0.0, 0.1 * np.sin(3 * t)))]),
        "drive": dict(joints=[hinge, fb.Drive("it", hinge, value=wave)]),
        "motor": dict(forces=[fb.ForceElement("it", fb.Along(hinge), motor)]),
    }[what]
    machine = fb.System(**{"bodies": [body], "joints": [hinge], **more})
    fb.simulate(machine, 0.2, show_progress=False).save(tmp_path / "run.h5")
    loaded = fb.load_result(tmp_path / "run.h5")
    fb.simulate(loaded.system, 0.2, show_progress=False)
    with pytest.raises(
        fb.InputError, match=r"'it' was read from a file, .* up to t = 0\.2 s, and the run ends"
    ):
        fb.simulate(loaded.system, 0.3, start=loaded, show_progress=False)
    fb.simulate(machine, 0.3, start=loaded, show_progress=False)  # the functions are given again
