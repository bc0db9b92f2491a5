"""Studies: their variants, machines, quantities, stores and results, against closed forms and single runs."""

import linecache
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.stats import norm
from support.images import film, picture, shows_something

import fem
import flexbody as fb
import modal

zarr = pytest.importorskip("zarr", reason="the extra studies is not installed")
xarray = pytest.importorskip("xarray", reason="the extra studies is not installed")

pytestmark = pytest.mark.slow


def machine(mass=1.0, rate=2.0):
    """A body that turns freely about z in a hinge, its centre of mass 0.5 m from it."""
    arm = fb.RigidBody("arm", mass, (1.0, 1.0, 1.0), center=(0.5, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, arm, point=(0, 0, 0), axis="z")
    return fb.System([arm], [hinge, fb.Drive("motor", hinge, rate=rate)])


STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
GRID = {"mass": [1.0, 2.0, 4.0], "rate": [2.0, 3.0]}
RUN = partial(fb.kinematics, t_end=0.1, output_step=0.05, show_progress=False)


def study(folder, build=machine, variants=None, quantities=None, **others):
    return fb.Study(
        build,
        variants or fb.Grid(GRID),
        quantities or {"force": ("reaction", "hinge"), "angle": lambda r: r.coordinate("hinge")},
        **{"analysis": RUN, "store": folder / "s.zarr", "units": {"mass": "kg", "rate": "rad/s"}} | others,
    )


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return study(tmp_path_factory.mktemp("found")).run(processes=False)


def test_quantities_are_those_of_closed_forms_and_single_runs(found):
    """Centripetal force m w^2 r; histories digit for digit those of runs by themselves."""
    m, w = found.parameters["mass"], found.parameters["rate"]
    assert np.allclose(found.values("force"), m * w**2 * 0.5, rtol=1e-9)
    for k in range(6):
        single = RUN(machine(float(m[k]), float(w[k])))
        assert np.array_equal(found.values("angle")[k], single.coordinate("hinge"))
        assert np.array_equal(found.values("angle")[k], found.result(k).coordinate("hinge"))


def test_variants_of_other_structures_have_the_digits_of_runs_by_themselves(tmp_path):
    """Joint, number of bodies and mass vary; threads compute them side by side."""
    from flexbody.compile import rows, work_arrays

    def build(mass, kind, bodies):
        arms = [fb.RigidBody(f"arm{k}", mass, (0.1, 1.0, 1.0), center=(k + 0.5, 0, 0)) for k in range(bodies)]
        joint = (fb.Revolute, fb.Prismatic)[kind]
        root = joint("root", fb.GROUND, arms[0], point=(0, 0, 0), axis="y")
        pins = [
            fb.Revolute(f"pin{k}", arms[k], arms[k + 1], point=(k + 1, 0, 0), axis="y")
            for k in range(bodies - 1)
        ]
        return fb.System(arms, [root, *pins], gravity=(0, 0, -9.81))

    run = partial(fb.simulate, t_end=0.02, output_step=0.01, show_progress=False)
    grid = fb.Grid({"mass": [1.0, 2.0], "kind": [0, 1], "bodies": [1, 2]})
    wanted = {"force": lambda r: r.reaction("root").force[-1]}
    found = study(tmp_path, build, grid, wanted, analysis=run, units={}).run(processes=False, workers=4)
    assert found.done.all()
    for k in range(8):
        work_arrays._blank.cache_clear()
        rows._row_places.cache_clear()
        single = run(build(*(found.parameters[name][k] for name in ("mass", "kind", "bodies"))))
        assert np.array_equal(found.values("force")[k], single.reaction("root").force[-1])


def test_dataset_has_parameters_as_coordinates_with_units(found):
    data = found.to_xarray()
    assert data["force"].dims == ("mass", "rate")
    assert data["force"].attrs["units"] == "N"
    assert data["mass"].attrs["units"] == "kg"
    assert float(data["force"].sel(mass=4.0, rate=3.0)) == pytest.approx(18.0, rel=1e-9)
    plain = xarray.open_zarr(found.store.path, chunks=None, consolidated=False)
    assert {"mass", "rate"} <= set(plain.coords)
    assert plain["angle"].dims[0] == "variant"


def test_a_grid_of_one_parameter_is_a_dataset_over_it(tmp_path, recwarn):
    one = study(tmp_path, variants=fb.Grid({"mass": [1.0, 2.0, 4.0]}), units={"mass": "kg"})
    data = one.run(processes=False).to_xarray()
    assert not [w for w in recwarn if "Zarr hierarchy" in str(w.message)], "files of ours among the arrays"
    assert data["force"].dims == ("mass",)
    assert data["angle"].dims[0] == "mass"
    assert data["mass"].attrs["units"] == "kg"
    assert float(data["force"].sel(mass=4.0)) == pytest.approx(8.0, rel=1e-9)  # m w^2 r


def test_table_and_extremes(found):
    table = found.table(sort_by="force")
    assert list(table.columns) == ["mass (kg)", "rate (rad/s)", "force (N)"]
    assert table["force (N)"].is_monotonic_increasing
    assert (found.smallest("force"), found.largest("force")) == (0, 5)
    assert found.variants.values(5) == {"mass": 4.0, "rate": 3.0}


def test_a_finished_study_computes_nothing(found, monkeypatch):
    monkeypatch.setattr("flexbody.studies.study.checked", None)
    monkeypatch.setattr("flexbody.studies.study.local_client", None)
    again = study(found.store.path.parent).run()
    assert not again.errors
    assert again.done.all()
    with pytest.raises(fb.InputError, match=r"client is 3.*give a distributed\.Client"):
        study(found.store.path.parent).run(3)


def test_paths_replace_fields(tmp_path, found):
    """The same machines by paths of a given one; the force is that of the function's, digit for digit."""
    variants = fb.Grid({"arm.mass": GRID["mass"], "motor.rate": GRID["rate"]})
    same = study(tmp_path, machine(), variants, {"force": ("reaction", "hinge")}, units=None).run(
        processes=False
    )
    assert np.array_equal(same.values("force"), found.values("force"))
    gravity = replace(machine(), gravity=(0.0, 0.0, -9.81))
    by_entry = fb.Study(
        gravity, fb.Grid({"gravity.2": [-1.0]}), {"f": lambda r: 0.0}, analysis=RUN, store=tmp_path / "t"
    )
    assert by_entry._job.machine({"gravity.2": -1.0}, {}).gravity == (0.0, 0.0, -1.0)


def test_a_variant_that_fails_is_a_row_with_its_error(tmp_path):
    def build(mass):
        if mass == 2.0:
            raise ValueError("too light for its length")
        if mass == 3.0:
            raise SystemExit("an exit must not end the thread of a worker")
        return machine(mass)

    other = study(tmp_path, build, fb.Grid({"mass": [1.0, 2.0, 4.0, 3.0, 1.5]}), units=None).run(
        processes=False
    )
    line = build.__code__.co_firstlineno + 2
    place = rf"\((test_studies\.py, )?line {line}, in build\)"  # some versions of cloudpickle drop the file
    assert re.fullmatch(f"ValueError: too light for its length {place}", other.errors[1])
    assert other.errors[3].startswith("SystemExit: an exit must not")
    assert np.isnan(other.values("force")[[1, 3]]).all()
    assert np.allclose(other.values("force")[[0, 2, 4]], [2.0, 8.0, 3.0], rtol=1e-9)
    assert other.table()["error"].tolist() == ["", other.errors[1], "", other.errors[3], ""]


WRONG = {
    "unknown parameter": (dict(variants=fb.Grid({"masss": [1.0]})), r"no parameter 'masss' \(did you mean 'mass'\?\)"),
    "unknown path": (
        dict(build=machine(), variants=fb.Grid({"arm.weight": [1.0]}), units=None),
        r"parameter 'arm.weight': there is no 'weight'; .* has 'mass', 'inertia'",
    ),
    "unknown part": (
        dict(build=machine(), variants=fb.Grid({"leg.mass": [1.0]}), units=None),
        "begins with no part of the machine; it has 'arm', 'hinge', 'motor', 'gravity'",
    ),
    "two names": (dict(quantities={"mass": ("reaction", "hinge")}), "the names 'mass' occur twice"),
    "unit of nothing": (dict(units={"length": "m"}), "units= has 'length', which is neither a parameter"),
    "no quantity": (dict(quantities={"status": lambda r: 0.0}), "the names 'status' occur twice"),
    "dimension": (dict(quantities={"variant": lambda r: 0.0}), "the names 'variant' occur twice"),
    "no folder": (dict(quantities={"..": lambda r: 0.0}), r"'\.\.' can't be names of quantities"),
    "analysis": (dict(analysis=lambda: 0), "analysis must take one argument"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_names_that_do_not_fit_are_refused_when_the_study_is_made(name, tmp_path):
    changed, words = WRONG[name]
    with pytest.raises(fb.InputError, match=words):
        study(tmp_path, **changed)


REFUSED = {
    "quantity": (dict(quantities={"f": ("reaction", "wrist")}), r"quantity 'f': .* no joint 'wrist'; it has 'hinge'"),
    "vector of eight": (dict(quantities={"e": "energy"}), r"quantity 'e': 'energy' has 5 columns"),
    "function": (dict(quantities={"f": lambda r: r.forces}), r"variant 0 .*quantity 'f': AttributeError.*'forces'"),
    "not a number": (dict(quantities={"f": lambda r: "x"}), "quantity 'f': the function returns 'x'"),
    "machine": (
        dict(variants=fb.Grid({"mass": [1.0, -1.0], "rate": [2.0]})),
        r"variant 1 \(mass = -1, rate = 2\) builds no machine: [^$]*has the mass -1",
    ),
    "all fail": (dict(analysis=lambda m: 1 / 0), "the first 5 variants all fail; variant 0 .*ZeroDivisionError"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_can_not_be_computed_is_one_error_before_anything_is_written(name, tmp_path):
    changed, words = REFUSED[name]
    with pytest.raises(fb.InputError, match=words):
        study(tmp_path, **changed).run(processes=False)
    assert not list(tmp_path.iterdir())


def test_the_store_of_another_study_is_refused_with_what_differs(found):
    folder = found.store.path.parent
    other = study(
        folder, variants=fb.Grid({**GRID, "rate": [2.0, 5.0]}), quantities={"force": ("reaction", "motor")}
    )
    with pytest.raises(
        fb.FileError, match=r"another study: parameter 'rate' has other values \(.*2 to 3 there.*2 to 5"
    ):
        other.run()
    (folder / "text").write_text("no store")
    with pytest.raises(fb.FileError, match="is not the store of a study"):
        study(folder, store=folder / "text").run()


def test_a_batch_opens_each_variable_once(tmp_path, monkeypatch):
    """An opening reads a file, so that writing cost 4 ms a row when each row opened its variables.

    A new variable is opened when it has its checksum, and once by the next batch.
    """
    from flexbody.studies.row import Row
    from flexbody.studies.store import Store

    x = np.arange(60.0)
    store = Store.created(tmp_path / "s.zarr", {"parameters": {}}, {"x": x}, {}, {"batch": 30})
    opened, get = [], zarr.Group.__getitem__
    monkeypatch.setattr(
        zarr.Group, "__getitem__", lambda group, name: opened.append(name) or get(group, name)
    )
    for numbers in (np.arange(30), np.arange(30, 60)):
        store.write(numbers, [Row({"a": x[k : k + 1], "b": x[k]}) for k in numbers], {})
    assert sorted(opened) == [*"aabb", "error", "seconds"], "status is open since the beginning"
    assert np.array_equal(store.read("a")[:, 0], x)
    assert np.array_equal(store.read("b"), x)


def test_what_functions_use_from_outside_belongs_to_the_study(tmp_path):
    """A constant of the script, a helper, a default and a closure that have changed are another study."""
    from flexbody.studies.fingerprint import fingerprint

    def made(text):
        file = tmp_path / "parts.py"
        file.write_text(text)
        linecache.checkcache()
        found = {"__name__": "parts", "np": np, "fb": fb}
        exec(compile(text, str(file), "exec"), found)
        return fingerprint(found["build"])

    text = (
        "import functools\nRATE = 2.0\nreal = 5.0\n"
        "def mass(x): return x * SHARE\n"
        "SHARE = [1.0, np.ones(3)]\n"
        "def outer(k):\n    return lambda: k\n"
        "inner = outer(3)\n"
        "class Law:\n"
        "    top = 7\n"
        "    def __init__(self, k): self.k = k\n"
        "    def __call__(self, x): return self.k - x\n"
        "law = Law(8)\n"
        "@functools.lru_cache\n"
        "def kept(x): return x / 2\n"
        "def build(x, y=RATE):\n"
        "    return [mass(x), y, RATE, [inner() for _ in range(2)], law(x), kept(x), x.real]\n"
    )
    first = made(text)
    assert made(text.replace("return x * SHARE", "return x * SHARE  # the share")) == first
    assert made(text + "OTHER = 4\n") == first, "what it doesn't use"
    assert made(text.replace("5.0", "6.0")) == first, "x.real is not the script's real"
    changes = (
        ("RATE = 2.0", "RATE = 3.0"),
        ("x * SHARE", "x + SHARE"),
        ("ones", "zeros"),
        ("outer(3)", "outer(4)"),
        ("Law(8)", "Law(9)"),
        ("top = 7", "top = 6"),
        ("self.k - x", "self.k + x"),
        ("x / 2", "x / 3"),
    )
    assert len({first, *(made(text.replace(*change)) for change in changes)}) == 1 + len(changes)
    # equal sets in another order, as texts have them in another process: 0 and 8 fall on one place of a small set
    assert list({0, 8}) != list({8, 0})
    assert fingerprint({0, 8}) == fingerprint({8, 0})

    def heavier(factor):
        variants = fb.Grid({"mass": [1.0]})
        return study(tmp_path, lambda mass: machine(factor * mass), variants, units=None).run(processes=False)

    assert heavier(2.0).values("force") == pytest.approx([4.0], rel=1e-9)  # m w^2 r, w = 2 rad/s
    with pytest.raises(
        fb.FileError, match="the function or machine of build is not the same, or what it uses"
    ):
        heavier(3.0)


def test_warnings_are_kept_in_rows_and_not_shown(tmp_path, recwarn):
    """A second hinge on the same axis is redundant: each variant says so in its row."""

    def build(mass):
        one = machine(mass)
        again = fb.Revolute("again", fb.GROUND, one.body("arm"), point=(0, 0, 0.1), axis="z")
        return replace(one, joints=[*one.joints, again])

    other = study(tmp_path, build, fb.Grid({"mass": [1.0, 2.0]}), {"f": lambda r: 0.0}, units=None)
    warned = other.run(processes=False).warnings
    assert set(warned) == {0, 1}
    assert all("depend on the others" in words for words in warned.values())
    assert not [w for w in recwarn if issubclass(w.category, fb.FlexbodyWarning)]


def test_samples_fill_their_ranges():
    """A Latin hypercube has one value in each n-th; Sobol's 2^m points have one in each 2^m-th (Sobol' 1967)."""
    ranges = {"a": (1.0, 3.0), "b": (-1.0, 0.0)}
    for kind in (fb.LatinHypercube, fb.Sobol):
        for (low, high), values in zip(
            ranges.values(), kind(ranges, 32, seed=3).columns.values(), strict=True
        ):
            assert sorted(np.floor(32 * (values - low) / (high - low))) == list(range(32))
    drawn = fb.Random({"m": norm(2.0, 0.1)}, 4000, seed=1).columns["m"]
    # three standard errors of mean and of standard deviation: s / sqrt(n), s / sqrt(2 n)
    assert abs(drawn.mean() - 2.0) < 3 * 0.1 / 4000**0.5
    assert abs(drawn.std() - 0.1) < 3 * 0.1 / 8000**0.5
    assert np.array_equal(drawn, fb.Random({"m": norm(2.0, 0.1)}, 4000, seed=1).columns["m"])
    with pytest.raises(fb.InputError, match="power of two, such as 64 or 128"):
        fb.Sobol(ranges, 100)


def test_lists_and_one_at_a_time():
    listed = fb.VariantList([{"a": 1.0, "b": "steel"}, {"a": 2.0, "b": "brass"}])
    assert listed.values(1) == {"a": 2.0, "b": "brass"}
    one = fb.OneAtATime({"a": 1.0, "b": 5.0}, {"a": [2.0, 3.0], "b": [6.0]})
    assert [tuple(one.values(k).values()) for k in range(one.n)] == [(1, 5), (2, 5), (3, 5), (1, 6)]
    with pytest.raises(fb.InputError, match="variant 1 has the parameters 'b'"):
        fb.VariantList([{"a": 1.0}, {"b": 1.0}])
    with pytest.raises(
        fb.InputError, match=r"parameter 'a' is \[1, 'x'\]; give a list of finite numbers, or of t"
    ):
        fb.Grid({"a": [1, "x"]})
    with pytest.raises(fb.InputError, match="Grid: '__a' can't be names of parameters"):
        fb.Grid({"__a": [1.0]})
    with pytest.raises(fb.InputError, match="parameter 'a' has a value twice"):
        fb.Grid({"a": [1.0, 1.0]})


def test_bodies_are_made_once_for_each_geometry_and_kept(tmp_path):
    """Six variants have two lengths: two bodies are made, and none when the study goes on."""
    made = tmp_path / "made.txt"

    def arm(length):
        with made.open("a") as file:
            file.write(f"{length} ")
        beam = fem.assemble(fem.box((length, 0.02, 0.02), (2, 1, 1)), STEEL)
        return modal.reduce(beam, modal.craig_bampton(beam, ("x0",), n_normal=2), name="arm")

    def build(arm, rate):
        body = fb.FlexibleBody("arm", arm)
        hinge = fb.Revolute("hinge", fb.GROUND, body["x0"], axis="z")
        return fb.System([body], [hinge, fb.Drive("motor", hinge, rate=rate)])

    variants = fb.Grid({"length": [0.2, 0.3], "rate": [1.0, 2.0, 3.0]})
    one = study(
        tmp_path, build, variants,
        {"force": ("reaction", "hinge"), "stress": lambda r: r.stress("arm").peak().largest},
        units=None, bodies={"arm": arm},
        analysis=lambda machine: fb.elastodynamics(machine, 0.01, output_step=0.005, show_progress=False),
    )  # fmt: skip
    found = one.run(processes=False)
    assert found.done.all()
    assert made.read_text().split() == ["0.2", "0.3"]
    first, stress = found.values("force"), found.values("stress")
    found.store.group["status"][3:5] = 0
    again = one.run(processes=False)
    assert made.read_text().split() == ["0.2", "0.3"]
    assert again.done.all()
    assert np.array_equal(again.values("force"), first)
    assert np.array_equal(again.values("stress"), stress)
    # centripetal force of the rigid beam, m w^2 L / 2, which its deformation changes by less than 1e-3
    length, w = found.parameters["length"], found.parameters["rate"]
    mass = 7850.0 * 0.02**2 * length
    assert np.allclose(first, mass * w**2 * length / 2, rtol=1e-3)


def test_films_show_all_machines_at_one_scale():
    from flexbody.studies.films import OPTIONS, stages_of

    runs = []
    for length in (0.2, 0.8):
        bar = fb.RigidBody(
            "bar", 1.0, (1e-3, 0.1, 0.1), center=(length / 2, 0, 0), markers={"tip": (length, 0, 0)}
        )
        hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
        runs.append(fb.kinematics(fb.System([bar], [hinge, fb.Drive("motor", hinge, rate=1.0)]), 0.1))
    small, large = (stages_of([run], ["one"], OPTIONS, 2, 1.0)[0].cameras[0].height for run in runs)
    together = [stage.cameras[0].height for stage in stages_of(runs, ["one", "other"], OPTIONS, 2, 1.0)]
    assert small < 0.5 * large
    assert together[0] == together[1] >= large


def test_curves_maps_and_films_are_drawn(found, tmp_path):
    by_default = found.plot("force", path=tmp_path / "map.png")
    assert by_default.axes[0].get_xlabel() == "mass (kg)"
    drawn = by_default.axes[0].collections[0].get_array().reshape(2, 3)
    assert np.allclose(drawn, np.outer([4.0, 9.0], [0.5, 1.0, 2.0]), rtol=1e-9)
    curves = found.plot("force", "mass", path=tmp_path / "curve.png").axes[0]
    assert [len(line.get_xdata()) for line in curves.lines] == [3, 3]
    assert np.allclose(curves.lines[0].get_ydata(), [2.0, 4.0, 8.0], rtol=1e-9)
    assert len(found.plot("force", "mass", at={"rate": 3.0}).axes[0].lines) == 1
    assert shows_something(picture(tmp_path / "curve.png"))
    small = dict(size=(256, 128), n_frames=2, show_progress=False)
    first = film(found.animate(tmp_path / "two.gif", "force", **small))[0]
    assert first.shape == (128, 256, 3)
    assert all(np.std(half) > 10 for half in np.split(first, 2, axis=1))
    for words, call in {
        "not a parameter; there are 'mass', 'rate'": lambda: found.plot("force", "length"),
        "'angle' is an array": lambda: found.plot("angle"),
        "no quantity 'torque'": lambda: found.plot("torque"),
        "which no variant has": lambda: found.plot("force", at={"mass": 3.0}),
        "no option 'speed'": lambda: found.animate(tmp_path / "a.gif", "force", speed=2),
        "there is no variant 6": lambda: found.result(6),
    }.items():
        with pytest.raises(fb.InputError, match=words):
            call()
