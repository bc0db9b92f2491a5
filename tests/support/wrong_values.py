"""Wrong values for any argument, and what comes of a call with them."""

import inspect
import signal
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import fem
import flexbody as fb
import modal
from support.calls import calls
from support.calls.parts import Parts, parts
from support.public import made_by_users, methods

NAN, INF = float("nan"), float("inf")
ROOT = str(Path(__file__).resolve().parents[2])
#: seconds that a call may take
PATIENCE = 10


def _fails(t: float) -> float:
    return 1 / 0


#: values that are right nowhere
NOWHERE_RIGHT = [
    NAN, 1j, b"x", "\0", object(), (NAN, 0, 0), (1, 2, NAN), np.full(3, NAN),
    np.ones((3, 3), dtype=complex), [1, [2, 3]], (None,) * 3,
    np.array([1, None, "a"]), np.datetime64("2020-01-01"),
]  # fmt: skip
#: values that are right somewhere, and wrong in most places
VALUES = [
    None, INF, -INF, -1.0, 0.0, 1e308, 1e-320, 0, -1, 10**30, True, "", "x", "nonsense", "y", (), [],
    {}, {1: 2}, (1, 2), (INF, 0, 0), (0, 0, 0), (1, 2, 3, 4), ("a", "b", "c"), [[1, 0], [0, 1]],
    np.zeros((3, 3)), np.zeros((0, 3)), np.array(["a"]), lambda t: NAN, lambda: 1.0, lambda t: "x",
    _fails, float, {"x0": None}, {"x0": (NAN, 0, 0)}, range(3), 1e300, np.float32(2), np.array(3.0), np.int8(2), " ",
    (1e200, 0, 0), [None], [()], [[]], set(), iter([1, 2]), "a" * 5000, Path("x"), slice(3), ...,
    1e12, 10**12, 2**63, -(2**63), fb.GROUND, fem, *NOWHERE_RIGHT,
]  # fmt: skip


def call(target: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Call a function or method with arguments by name, those without a name by position."""
    kinds = {p.name: p.kind for p in inspect.signature(target).parameters.values()}
    given = dict(arguments)
    first = [given.pop("self")] if "self" in given else []
    rests = [
        name for name, kind in kinds.items() if kind is inspect.Parameter.VAR_POSITIONAL and name in given
    ]
    return target(*first, *(given.pop(name) for name in rests), **given)


def use(made: Any, p: Parts) -> None:
    """Use what a call has made in the smallest model, so that the checks of the model are asked too."""
    kinds = [f"{kind.__module__.split('.')[0]}.{kind.__name__}" for kind in type(made).__mro__]
    model = next((_MODELS[kind] for kind in kinds if kind in _MODELS), None)
    if model is not None and not isinstance(made, type):
        model(made, p)


def _force(made: Any, p: Parts) -> None:
    fb.System([p.crank, p.rod], [p.hinge, p.pin, p.slide], [made])


def _shapes(made: Any, p: Parts) -> None:
    fb.System([p.beam, p.load], [p.rail, made])


def _joint(made: Any, p: Parts) -> None:
    joints = [joint for joint in (p.hinge, p.pin, p.slide) if joint is not made]
    fb.System([p.crank, p.rod], [*joints, made])


def _law(made: Any, p: Parts) -> None:
    _force(fb.ForceElement("law", fb.Along(p.hinge), made), p)


def _geometry(made: Any, p: Parts) -> None:
    law = fb.UserLaw(lambda t, x, rate: 1.0 * x, components=made.count)
    _force(fb.ForceElement("law", made, law), p)


def _assembled(made: Any, p: Parts) -> None:
    fem.assemble(p.mesh, made)


def _on_line(made: Any, p: Parts) -> None:
    fem.assemble(p.line, made)


def _integrator(made: Any, p: Parts) -> None:
    fb.simulate(p.pendulum, 1e-4, integrator=made, show_progress=False)


def _part(made: Any, p: Parts) -> None:
    fem.assemble(p.mesh, p.steel, parts=[made])


def _load(made: Any, p: Parts) -> None:
    fem.static(p.fe, "x0", [made])


_INTEGRATORS = ("Automatic", "Explicit", "GeneralizedAlpha", "SciPy", "Sundials")
#: what is made of each class, or of one above it, by its package and name
_MODELS: dict[str, Callable[[Any, Parts], Any]] = {
    **dict.fromkeys(("fem.Isotropic", "fem.Orthotropic", "fem.Anisotropic", "fem.Solid"), _assembled),
    **dict.fromkeys(("fem.Beam", "fem.Truss"), _on_line),
    **dict.fromkeys((f"flexbody.{name}" for name in _INTEGRATORS), _integrator),
    **dict.fromkeys(
        ("fem.Shell", "fem.LayeredShell", "fem.Membrane", "fem.ShearPanel", "fem.GeneralShell"),
        lambda made, p: fem.assemble(p.sheet, made),
    ),
    "fem.Layer": lambda made, p: fem.assemble(p.sheet, fem.LayeredShell([made])),
    "fem.Section": lambda made, p: _on_line(fem.Beam(p.steel, made), p),
    "fem.Part": _part,
    "fem.Load": _load,
    "fem.LineLoad": lambda made, p: fem.static(p.frame, "x0", [made]),
    **dict.fromkeys(("fem.Bearing", "fem.EdgeLoad"), lambda made, p: None),  # of other meshes
    "modal.ReferenceFrame": lambda made, p: modal.reduce(p.fe, p.basis, frame=made),
    "flexbody.MasslessBody": lambda made, p: fb.System(
        [p.crank], [p.hinge, fb.Fixed("flange", p.crank, made, point=(0, 0, 0))]
    ),
    "flexbody.Body": lambda made, p: fb.System([made]),
    "flexbody.FollowingShapes": _shapes,
    "flexbody.Connection": _joint,
    "flexbody.Force": _force,
    "flexbody.ForceLaw": _law,
    "flexbody.Geometry": _geometry,
    "flexbody.Shape": lambda made, p: _touched(made, p),
    "flexbody.SlipLaw": lambda made, p: _joint(
        fb.Rolling("c", fb.Plane(fb.GROUND), fb.Wheel(p.crank, 0.1, axis="y"), slip=made), p
    ),
    "flexbody.Equilibrium": lambda made, p: fb.simulate(
        p.pendulum, 1e-4, start=made, step=1e-5, show_progress=False
    ),
}


def _touched(made, p):
    """A shape in a contact; a wheel rolls on the ground."""
    if isinstance(made, fb.Cone):
        rail = fb.Cylinder(fb.GROUND, 0.1, 1.0, axis="x", point=(0, 0, -0.2))
        return _joint(fb.Rolling("c", rail, made), p)
    if isinstance(made, fb.Rail):
        return _joint(fb.Rolling("c", made, fb.Sphere(p.rod["x0"], 0.1)), p)
    if isinstance(made, fb.Wheel):
        return _joint(fb.Rolling("c", fb.Plane(fb.GROUND), made), p)
    return _force(fb.Contact("c", made, fb.Sphere(p.rod["x0"], 0.1), stiffness=1e6), p)


class Hang(BaseException):
    """A call that does not come back in time."""


def outcome(name: str, target: Callable[..., Any], arguments: dict[str, Any]) -> tuple[str, str]:
    """Return "taken", "refused", "python" (what Python says of a call), "raw" or "hangs", and where and what."""

    def late(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            use(call(target, arguments), parts())
        return "taken", ""
    except fb.FlexbodyError as error:
        return "refused", str(error)
    except Hang:
        return "hangs", ""
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        at_the_call = Path(frames[-1].filename).name in ("wrong_values.py", "arguments.py")
        if at_the_call and isinstance(error, TypeError) and "argument" in str(error):
            return "python", str(error)
        ours = [frame for frame in frames if "site-packages" not in frame.filename]
        where = f"{ours[-1].filename.removeprefix(ROOT)}:{ours[-1].lineno}"
        return "raw", f"{type(error).__name__} at {where}: {str(error)[:100]}"
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def is_nowhere_right(value: Any) -> bool:
    """Return whether a value is wrong wherever it is given."""
    return any(value is wrong for wrong in NOWHERE_RIGHT)


def every() -> Iterator[tuple[str, Callable[..., Any], dict[str, Any], dict[str, Any]]]:
    """Yield the same as :func:`tries` does: each wrong value in each argument, one at a time."""
    valid = calls()
    for name, target in {**made_by_users(), **methods()}.items():
        for key in {} if valid[name] is None else [key for key in valid[name] if key != "self"]:
            for value in VALUES:
                wrong = {key: iter([1, 2]) if isinstance(value, Iterator) else value}
                yield name, target, {**valid[name], **wrong}, wrong


def tries(
    seed: int, singles: int, several: int
) -> Iterator[tuple[str, Callable[..., Any], dict[str, Any], dict[str, Any]]]:
    """Yield name, target, arguments and what is wrong in them: one wrong argument, or several, at random."""
    valid, public = calls(), {**made_by_users(), **methods()}
    for name, target in public.items():
        good = valid[name]
        if good is None:
            continue
        rng = Random(f"{seed} {name}")
        names = [key for key in good if key != "self"]
        for k in range(singles + several):
            changed = rng.sample(names, 1 if k < singles or len(names) < 2 else rng.randint(2, len(names)))
            wrong = {key: rng.choice(VALUES) for key in changed}
            yield name, target, {**good, **wrong}, wrong
