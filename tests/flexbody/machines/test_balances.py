"""A machine with everything in it: Newton's and Euler's equations of each body, powers, momentum, energy.

Loads are those that a result gives of joints, couplings, drives and force elements; momenta are differentiated
by differences. The precise method is used: what is left is the truncation of the differences, h^4/30 of a fifth
derivative: 1 ms and 60 rad/s of the stiffest element (the cylinder's oil), 4e-7; at 2 ms it is sixteen times that.
"""

import functools

import numpy as np
import pytest
from support import zoo
from support.balance import Loads, flexible_residual, relative_power, rigid_residual, slope

import flexbody as fb
from flexbody.model.forces import Force
from flexbody.model.joints.base import Joint

MACHINES = {
    "rigid, floating": lambda: zoo.rigid(grounded=False),
    "rigid, on the ground": zoo.rigid,
    "flexible": zoo.flexible,
    "cams": zoo.cams,
}


@functools.cache
def run(name):
    """The machine's run, and the loads on its bodies."""
    system = MACHINES[name]()
    result = fb.simulate(
        system, 0.2, integrator=fb.Explicit(rtol=1e-10), output_step=1e-3, show_progress=False
    )
    return result, Loads(result)


every = pytest.mark.parametrize("name", MACHINES)


def test_the_machine_holds_every_class():
    """A new joint, coupling or force element belongs into the machine."""
    systems = [make() for make in MACHINES.values()]
    joints = {type(joint) for system in systems for joint in system.joints}
    forces = {
        type(force.law if isinstance(force, fb.ForceElement) else force)
        for system in systems
        for force in system.forces
    }
    kinds = {value for name in fb.__all__ if isinstance(value := getattr(fb, name), type)}
    wanted = {kind for kind in kinds if issubclass(kind, Joint)}
    wanted |= {fb.Gear, fb.Rack, fb.Coupler, fb.Drive, fb.Rolling}
    assert wanted - joints <= {fb.Floating}  # which holds nothing
    assert {kind for kind in kinds if issubclass(kind, Force)} - forces == {
        fb.ForceElement,  # whose laws are there
        fb.Contacts,  # whose loads are compared with those of Contact
        fb.SurfaceContact,  # whose loads are derivatives of its energy, in its own tests
        fb.ToothContact,  # whose loads are those of Gear and Rack at rest, in its own tests
        fb.BeltSpan,  # whose tensions and shaft loads are closed forms, in its own tests
        fb.Controller,  # whose loads are those of the springs and motors that it stands for, in its own tests
    }
    assert {fb.ElectricMotor, fb.ViscoElastic, fb.HydraulicCylinder, fb.UserLaw, fb.SpringTable} <= forces


@every
def test_newton_and_euler(name):
    """Rate of momentum and of moment of momentum = sums of all loads, for each body at all times."""
    result, loads = run(name)
    for body in result.system.bodies:
        if isinstance(body, fb.RigidBody):
            residual, size = rigid_residual(result, body, loads)
        else:
            residual, size = flexible_residual(result, body, loads, zoo.clouds()[body.name])
        assert len(loads.on[body.name]) > 0
        assert np.abs(residual).max() < 1e-6 * max(size, 1.0), body.name


@every
def test_rates_are_those_of_the_places(name):
    """What is called velocity and acceleration is the derivative of what is called position."""
    result, _ = run(name)
    for what in (*result.system.bodies, *(j for j in result.system.joints if isinstance(j, Joint))):
        r, v, a = result.position(what), result.velocity(what), result.acceleration(what)
        np.testing.assert_allclose(v[2:-2], slope(result.t, r), atol=1e-6 * (1 + np.abs(v).max()))
        np.testing.assert_allclose(a[2:-2], slope(result.t, v), atol=1e-6 * (1 + np.abs(a).max()))


@every
def test_reactions_do_no_work(name):
    """Of every joint: force and moment times the relative motion."""
    result, _ = run(name)
    for joint in result.system.joints:
        if isinstance(joint, Joint):
            power, size = relative_power(result, joint, joint)
            assert size > 1e-2, joint.name
            assert np.abs(power).max() < 1e-9 * size, joint.name


@every
def test_power_of_what_is_driven_is_in_the_balance(name):
    """Drives, loads and actuators: their power, from their forces and motions, is the rate of energy.input."""
    result, loads = run(name)
    power = np.zeros(len(result.t))
    for connection in result.system.joints:
        if isinstance(connection, fb.Drive):
            power += relative_power(result, connection, connection.joint)[0]
    for force in result.system.forces:
        if isinstance(force, fb.PointForce | fb.PointMoment):
            value = loads.value(force)
            speed = result.velocity if isinstance(force, fb.PointForce) else result.angular_velocity
            power += np.einsum("ti,ti->t", value, speed(force.at))
        else:
            power += result.element(force.name).input
    assert np.abs(power).max() > 1
    found = slope(result.t, result.energy.input)
    np.testing.assert_allclose(found, power[2:-2], atol=1e-6 * np.abs(power).max())


@every
def test_energy(name):
    """Order 8 at 1e-10: nothing is lost or won; and much is turned over."""
    result, _ = run(name)
    assert result.energy.balance_error < 1e-10
    energy = result.energy
    for part in (energy.kinetic, energy.strain, energy.dissipated, energy.input):
        assert np.ptp(part) > 0.1


def test_momentum_of_what_floats():
    """Twenty joints and couplings, twelve force elements, two drives, all within: momenta stay, exactly."""
    result, _ = run("rigid, floating")
    momentum, moment, turned = 0.0, 0.0, 0.0
    for body in result.system.bodies:
        Q, w, v = result.rotation(body), result.angular_velocity(body), result.velocity(body)
        spin = np.einsum("tij,jk,tlk,tl->ti", Q, np.asarray(body.inertia), Q, w)
        momentum = momentum + body.mass * v
        moment = moment + np.cross(result.position(body), body.mass * v) + spin
        turned = max(turned, np.abs(spin - spin[0]).max())
    assert turned > 0.05
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (len(momentum), 1)), atol=1e-10)
    np.testing.assert_allclose(moment, np.tile(moment[0], (len(moment), 1)), atol=1e-10)
