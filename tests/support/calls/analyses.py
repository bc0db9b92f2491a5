"""Valid calls of analyses, integrators and the stepper."""

import scipy

import flexbody as fb

from .parts import NOWHERE, Calls, Parts


def calls(p: Parts) -> Calls:
    """Return the arguments of a valid call by the name of what is called."""
    return {**_choices(), **_runs(p), **_states(p), **_trees(p), **_stepper(p)}


def _choices() -> Calls:
    alpha = dict(
        rho_inf=0.8, step=1e-4, rtol=1e-5, vibrations=None, max_step=None, min_step=None, newton_rtol=None,
        max_iterations=12, index=2,
    )  # fmt: skip
    return {
        "fb.Automatic": dict(rtol=1e-5),
        "fb.Explicit": dict(rtol=1e-8, step=1e-4, max_step=None, min_step=None),
        "fb.GeneralizedAlpha": alpha,
        "fb.Baumgarte": dict(alpha=20.0, beta=30.0, integrator=fb.SciPy(scipy.integrate.LSODA)),
        "fb.Hybrid": dict(
            alpha=20.0, beta=30.0, violation=1e-5, integrator=fb.SciPy(scipy.integrate.LSODA, rtol=1e-7)
        ),
        "fb.Partitioned": dict(integrator=fb.SciPy(scipy.integrate.LSODA)),
        "fb.SciPy": dict(method=scipy.integrate.DOP853, rtol=1e-8, max_step=None),
        "fb.Sundials": dict(stiff=True, rtol=1e-8, max_step=None),
        "fb.Equilibrium": dict(spin=None, about=(0, 0, 0), load_steps=1),
        "fb.Relative": dict(base=(), keep=(), cut=()),
        "fb.Mixed": dict(relative=(), keep=(), cut=()),
        "fb.Points": dict(base=(), keep=(), cut=()),
        "fb.equivalent_particles": dict(
            mass=1.0, center=(1.0, 0.0), inertia=2.0, second=(2.0, 0.0), second_mass=0.2
        ),
        "fb.QuasiStatic": dict(rates=True),
        "fb.Event": dict(name="e", function=abs, direction=fb.Rising(), then=fb.Mark()),
        "fb.Rebound": dict(restitution=0.8),
        "fb.Switch": dict(on=["brake"], off=["motor"]),
    }


def _runs(p: Parts) -> Calls:
    drives = [fb.Drive("d", p.hinge, rate=1.0), fb.Drive("e", p.pin, rate=1.0)]
    rigid = fb.System([p.crank], [p.hinge, drives[0]])
    flexible = fb.System([p.crank, p.rod], [p.hinge, p.pin, *drives])
    output = dict(t_end=1e-2, output_step=1e-3, show_progress=False)
    steps = dict(start=None, integrator=None, step=1e-3, save=None)
    return {
        "fb.simulate": output
        | steps
        | dict(machine=p.pendulum, description=fb.Absolute(), events=[], switched_off=[]),
        "fb.kinematics": output | dict(machine=rigid, rtol=1e-8, description=None),
        "fb.elastodynamics": output | dict(machine=flexible, rtol=1e-8, description=None, save=None),
        "fb.load_result": dict(path=NOWHERE + ".h5"),
    }


def _states(p: Parts) -> Calls:
    machine = dict(machine=p.pendulum)
    described = machine | dict(description=fb.Absolute())
    turning = dict(t=0.0, spin=None, about=(0, 0, 0))
    return {
        "fb.assemble": machine,
        "fb.equilibrium": described | turning | dict(start=None, load_steps=1, max_iterations=20),
        "fb.mobility": described | dict(t=0.0, state=None),
        "fb.linearize": described | turning | dict(state=None),
        "fb.campbell": dict(
            machine=p.rotor, rates=(0.0,), axis="z", about=(0, 0, 0), modes=None, description=None
        ),
    }


def _trees(p: Parts) -> Calls:
    at_rest = dict(state=p.rest, tree=fb.topology(p.pendulum))
    machine = fb.topology(p.system)
    return {
        "fb.cut_body": dict(machine=p.pendulum, body=p.crank, joint=p.hinge),
        "fb.topology": dict(machine=p.pendulum, keep=(), cut=(), base=()),
        "fb.bias": at_rest,
        "fb.inertia_forces": dict(state=at_rest["state"]),
        "fb.inverse_dynamics": at_rest | dict(accelerations=[0.0], description=fb.Relative()),
        "fb.jacobian": at_rest | dict(frame="crank"),
        "fb.mass_matrix": at_rest,
        "fb.speeds": at_rest,
        "fb.Topology.path": dict(self=machine, body="rod"),
        "fb.Topology.plot": dict(self=machine, path=NOWHERE + ".png", title=None),
    }


def _stepper(p: Parts) -> Calls:
    begun = dict(start=None, integrator=None, step=1e-4, horizon=1.0, record=True)
    stepper = dict(self=p.stepper)
    return {
        "fb.Stepper": begun | dict(machine=p.pendulum, description=fb.Absolute(), events=(), switched_off=()),
        "fb.Stepper.__getitem__": stepper | dict(name="wind"),
        "fb.Stepper.advance": stepper | dict(dt=1e-4),
        "fb.Stepper.restore": stepper | dict(state=p.stepper.save()),
        "fb.Stepper.set": stepper | dict(wind=1.0),
    }
