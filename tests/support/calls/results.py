"""Valid calls of what looks at results: pictures, films, and the methods of results and states."""

from typing import Any

import flexbody as fb

from .parts import NOWHERE, Calls, Parts

_MOTIONS = ("position", "velocity", "acceleration", "angular_velocity", "angular_acceleration")


def calls(p: Parts) -> Calls:
    """Return the arguments of a valid call by the name of what is called."""
    return {**_pictures(p), **_plots(p), **_readings(p), **_results(p), **_stresses(p), **_linear(p)}


def _pictures(p: Parts) -> Calls:
    small = dict(size=(64, 64), title=None, view="iso", scale=1.0, colour=None)
    picture = small | dict(result=p.result, limits=None, trace=(), forces=())
    film = dict(path=NOWHERE + ".gif", fps=25.0, show_progress=False)
    mesh = dict(
        what=p.static, path=None, mode=None, limits=None, sets=None, supports=(), loads=(), edges=None
    )
    return {
        "fb.picture": picture | dict(path=None, time=0.0),
        "fb.animate": picture | film | dict(slow_motion=1.0, n_frames=2),
        "fb.picture_mesh": small | mesh,
        "fb.animate_mode": small | film | dict(what=p.linear, mode=0, period=2.0, cycles=1, edges=False),
        "fb.Picture.__getitem__": None,
        "fb.Picture.save": dict(self=fb.picture(p.result, size=(64, 64)), path=NOWHERE + ".png"),
    }


def _plots(p: Parts) -> Calls:
    picture, campbell = dict(path=NOWHERE + ".png", title=None), fb.campbell(p.rotor, (0.0, 1.0))
    data = dict(path=NOWHERE + ".vtkhdf", times=None, scale=1.0, show_progress=False)
    table = p.result.table(("velocity", "crank"))
    return {
        "fb.plot": picture | dict(result=p.result, show=None),
        "fb.plot_stress": picture | dict(result=p.result, body="rod"),
        "fb.Campbell.plot": picture | dict(self=campbell, orders=(1, 2)),
        "fb.write_paraview": data | dict(result=p.result),
        "fb.Table.__getitem__": dict(self=table, label="time (s)"),
        "fb.Table.save": dict(self=table, path=NOWHERE + ".csv"),
    }


def _readings(p: Parts) -> Calls:
    """Of the readings of a state that a stepper gives as well."""
    found = {}
    for name, now in (("State", p.rest), ("Stepper", p.stepper)):
        of, coordinate = dict(self=now), dict(joint="main", which=None)
        found |= {f"fb.{name}.{motion}": of | dict(what="crank") for motion in (*_MOTIONS, "rotation")}
        found |= {f"fb.{name}.{modal}": of | dict(body="rod") for modal in ("alpha", "alpha_dot")}
        found |= {f"fb.{name}.{value}": of | coordinate for value in ("coordinate", "coordinate_rate")}
        found[f"fb.{name}.displacement"] = of | dict(what="crank", point=(0, 0, 0), relative_to=fb.GROUND)
        found[f"fb.{name}.reaction"] = of | dict(joint="main")
    # a pendulum has no modal coordinates
    found |= {f"fb.State.{modal}": dict(self=p.rest, body="crank") for modal in ("alpha", "alpha_dot")}
    return found | {"fb.State.state": dict(self=p.rest, t=None)}


def _long(p: Parts) -> fb.Result:
    """A run with twelve times in 3 ms."""
    return fb.simulate(p.rotor, 1e-2, step=2.5e-4, output_step=2.5e-4, show_progress=False)


def _results(p: Parts) -> Calls:
    run, coordinates = dict(self=p.result), ("coordinate", "coordinate_rate", "coordinate_acceleration")
    of_bodies = ("alpha", "alpha_dot", "body_energy", "euler", "index")
    frame = dict(frame=None, relative_to=None, point=None)
    moved = dict(what="rod", point="x0", relative_to=None, frame=None)
    return {
        **{f"fb.Result.{name}": run | frame | dict(what="crank") for name in _MOTIONS},
        **{f"fb.Result.{name}": run | dict(body="rod") for name in of_bodies},
        **{f"fb.Result.{name}": run | dict(joint="main", which=None) for name in coordinates},
        "fb.Chord": dict(first="x0", second="x1"),
        "fb.belt_grip": _belted(),
        "fb.Result.rotation": run | dict(what="crank", relative_to=None, point=None),
        "fb.Result.displacement": run | moved,
        "fb.Result.averaged": dict(self=(long := _long(p)), values=long.t, over=3e-3),
        "fb.Result.element": run | dict(which="motor"),
        "fb.Result.reaction": run | dict(joint="main", frame=None, body=None),
        "fb.Result.save": run | dict(path=NOWHERE + ".h5"),
        "fb.Result.state": run | dict(t=0.0),
        "fb.Result.state_at": run | dict(k=0),
        "fb.Result.stress": run | dict(body="rod", at=None, times=None),
        "fb.Result.table": run | dict(wanted=("velocity", "crank")),
        "fb.ContactHistory.__getitem__": dict(self=_touching(), what="gap"),
        "fb.SlipHistory.__getitem__": dict(self=_slipping(), what="spin"),
        "fb.ControllerHistory.__getitem__": dict(self=_controlled(), what="output"),
        "fb.ElementHistory.__getitem__": dict(self=p.result.element("motor"), what="force"),
    }


def _stresses(p: Parts) -> Calls:
    stress = dict(self=p.result.stress("rod"), what="von_mises")
    return {f"fb.BodyStress.{name}": stress for name in ("measure", "peak", "range")}


def _linear(p: Parts) -> Calls:
    outputs = dict(inputs=None, displacements=["crank"], velocities=(), accelerations=())
    return {
        "fb.Linearization.motion": dict(self=p.linear, mode=0, size=0.05, frames=3),
        "fb.Linearization.shape": dict(self=p.linear, mode=0, body="crank"),
        "fb.Linearization.state_space": outputs | dict(self=p.linear, joint_coordinates=True),
        "fb.StateSpace.response": dict(self=p.linear.state_space(**outputs), frequencies_hz=[1.0, 2.0]),
    }


def _belted() -> dict[str, Any]:
    """A run of two pulleys with a belt, and its spans."""
    bodies = [fb.RigidBody(name, 1.0, (4e-3,) * 3, center=(x, 0, 0)) for name, x in (("one", 0), ("two", 1))]
    joints = [fb.Revolute(body.name, fb.GROUND, body, point=body.center) for body in bodies]
    spans = fb.belt("belt", joints, (0.1, 0.1), stiffness=1e5, pretension=1.0)
    return dict(result=fb.simulate(fb.System(bodies, joints, spans), 1e-3, show_progress=False), spans=spans)


def _controlled() -> fb.ControllerHistory:
    """The history of a controller that keeps a table turning."""
    table = fb.RigidBody("table", mass=1.0, inertia=(4e-3, 4e-3, 4e-3))
    spin = fb.TurnAbout(table, (0, 0, 1))
    governor = fb.Controller("governor", spin, fb.PID(1.0), acts_on=spin)
    return fb.simulate(fb.System([table], forces=[governor]), 0.01, show_progress=False).element(governor)


def _touching() -> fb.ContactHistory:
    """The history of a ball on the ground."""
    ball = fb.RigidBody("ball", mass=1.0, inertia=(4e-3, 4e-3, 4e-3), center=(0, 0, 0.1))
    floor = fb.Contact("floor", fb.Plane(fb.GROUND), fb.Sphere(ball, 0.1), stiffness=1e5)
    return fb.simulate(fb.System([ball], forces=[floor]), 1e-3, show_progress=False).element("floor")


def _slipping() -> fb.SlipHistory:
    """The history of a ball that slides on the ground."""
    ball = fb.RigidBody("ball", 1.0, (4e-3, 4e-3, 4e-3), center=(0, 0, 0.1), velocity=(1, 0, 0))
    lane = fb.Rolling("lane", fb.Plane(fb.GROUND), fb.Sphere(ball, 0.1), slip=fb.Coulomb(0.3))
    return fb.simulate(fb.System([ball], [lane], gravity=(0, 0, -9.81)), 1e-3, show_progress=False).element(
        "lane"
    )
