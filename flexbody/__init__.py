"""Flexible multibody dynamics: machines of rigid and flexible bodies in motion.

A mesh becomes a structure (:mod:`fem`), a structure a few modes (:mod:`modal`), and modes a moving machine::

    machine = fb.System(bodies=[...], joints=[...], forces=[...], gravity=(0, 0, -9.81))
    result = fb.simulate(machine, t_end=0.06)

Model of a machine
    bodies                RigidBody, FlexibleBody (of a modal.ReducedBody), GROUND; body["name"] is a marker;
                          MasslessBody, a body without mass that joints or springs hold
    joints                Revolute, Prismatic, Cylindrical, Screw, Spherical, Universal, Planar, Fixed, Floating,
                          PointOnLine, PointOnPlane, Distance, PointOnGuideway, SleeveOnGuideway, MuffOnGuideway
                          (along a line of a rigid or flexible body), RollerOnGuideway, FaceOnGuideway (cams),
                          profile (of a cam), HingeJoint (your own, by the motion it permits)
    rolling               Rolling (of two shapes, without slip, or by a law of slip: Coulomb, Creep)
    couplings of joints   Gear, Rack, Coupler
    base functions        FollowingShapes (follow the contacts on a guideway)
    given motion          Drive (of a coordinate of a joint), Constraint (your own equation)
    loads                 PointForce, PointMoment, body_load (of a distributed load); gravity= of System
    force elements        SpringDamper, torsion_spring, Bushing, MasslessBeam, Friction, BearingFriction (follows the
                          reaction), Limit (stops), ForceElement (a law at a place), Contact (of two shapes),
                          Contacts (of many spheres), SurfaceContact (of a mesh), ToothContact (gears with backlash),
                          belt (over pulleys; BeltSpan, belt_grip)
    controllers           Controller (of what it measures, acts on a place); its laws PID, LinearControl, UserControl;
                          what it measures: Along, Line, PointAlong, TurnAbout, Rate
    shapes of a contact   Plane, Sphere, Cylinder, HollowCylinder (a hole with play), Box; Surface (of a mesh);
                          Wheel, Cone, Rail (which roll)
    laws                  Linear, SpringTable, SmoothSpringTable, DamperTable, ViscoElastic, HydraulicCylinder,
                          HydraulicActuator, ElectricMotor, PositionServo, UserLaw (your own); hereditary (makes a
                          ViscoElastic of any relaxation function)
    places of a law       Along (a coordinate of a joint), Line (between two points), Between (six deformations)
    the whole             System

Analyses
    simulate              motion in time
    kinematics            motion by drives alone, with the loads that they need
    elastodynamics        motion of rigid bodies, and the deformation that its loads cause
    assemble              a machine with closed joints, from one that is drawn roughly
    cut_body              a machine in which a body is cut, so that all joints of a loop are hinges
    equilibrium           position at rest or in steady turning
    mobility              degrees of freedom, redundant constraints, dead points
    equivalent_particles  a rigid body in plane motion as particles
    topology              spanning tree, loops and what closes them
    speeds, mass_matrix, bias, jacobian, inverse_dynamics   equations in the speeds of joints, for controllers
    inertia_forces        those of the driven motion, gyroscopic ones and others
    linearize             frequencies, damping, mode shapes, state space
    campbell              frequencies over the speed of rotation
    Stepper, Input        a run that your own program advances, and what it prescribes
    events of a run       Event (Rising, Falling): where a function of the state passes through zero; what then
                          happens: Mark, EndRun, Rebound, Switch
    starts of a run       AsDrawn, QuasiStatic, Equilibrium, or a state or result
    integrators           Automatic (default), GeneralizedAlpha, Explicit, Partitioned, Baumgarte, Hybrid, SciPy,
                          Sundials
    description           Absolute, Relative, Mixed, Points, AutomaticDescription: how the equations of motion are
                          written

Results
    methods of a result   position, velocity, displacement, coordinate, reaction, element, stress, table, save, ...; see
                          help(fb.Result)
    load_result           a result from its file
    Chord                 the line that a displacement may be relative to

Views
    plot, plot_stress     curves over time
    picture, animate      pictures and films of a machine
    picture_mesh, animate_mode   the same of meshes, solutions and modes
    write_paraview        files for ParaView

Studies
    Study                 a machine for many values of its parameters, on all cores or on a cluster
    sets of variants      Grid, VariantList, OneAtATime, Random, LatinHypercube, Sobol

Errors and warnings
    FlexbodyError         InputError, MeshError, FileError, ConstraintError, ConvergenceError
    FlexbodyWarning       RedundantConstraintWarning
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._packages import check_own_packages

check_own_packages()

import fem
import modal
from fem.common.errors import (
    ConstraintError,
    ConvergenceError,
    FileError,
    FlexbodyError,
    FlexbodyWarning,
    InputError,
    MeshError,
    RedundantConstraintWarning,
)
from fem.common.names import no_attribute

from .analyses.assemble import Assembly as Assembly
from .analyses.assemble import ClosedGap as ClosedGap
from .analyses.assemble import Move as Move
from .analyses.assemble import assemble
from .analyses.elastodynamics import elastodynamics
from .analyses.equilibrium import equilibrium
from .analyses.inertia_forces import InertiaForces as InertiaForces
from .analyses.inertia_forces import inertia_forces
from .analyses.joint_space import bias, inverse_dynamics, jacobian, mass_matrix, speeds
from .analyses.kinematics import kinematics
from .analyses.linear.campbell import Campbell as Campbell
from .analyses.linear.campbell import campbell
from .analyses.linear.linearize import Linearization as Linearization
from .analyses.linear.linearize import linearize
from .analyses.linear.state_space import StateSpace as StateSpace
from .analyses.mobility import Mobility as Mobility
from .analyses.mobility import mobility
from .analyses.result import Result as Result
from .analyses.result import State as State
from .analyses.result import load_result
from .analyses.simulate import simulate
from .analyses.start_in_equilibrium import Equilibrium
from .analyses.starts import AsDrawn, QuasiStatic
from .analyses.stepper import Snapshot as Snapshot
from .analyses.stepper import Stepper
from .analyses.topology import Topology as Topology
from .analyses.topology import topology
from .formulations import Absolute, AutomaticDescription, Mixed, Points, Relative
from .formulations.equivalent_particles import Particles as Particles
from .formulations.equivalent_particles import equivalent_particles
from .functions.inputs import Input
from .integrators import (
    Automatic,
    Baumgarte,
    Explicit,
    GeneralizedAlpha,
    Hybrid,
    Partitioned,
    SciPy,
    Sundials,
)
from .model.constraints import Constraint
from .model.cut_body import cut_body
from .model.drives import Drive
from .model.events import EndRun, Event, Falling, Mark, Rebound, Rising, Switch
from .model.flexible_body import FlexibleBody
from .model.forces import Along, Between, Line
from .model.forces.active_laws import ElectricMotor, HydraulicActuator, HydraulicCylinder, PositionServo
from .model.forces.belt import BeltSpan, belt
from .model.forces.body_load import body_load
from .model.forces.bushing_and_beam import Bushing, MasslessBeam
from .model.forces.contact import Contact
from .model.forces.contacts import Contacts
from .model.forces.control_laws import PID, LinearControl, UserControl
from .model.forces.control_places import PointAlong, Rate, TurnAbout
from .model.forces.controller import Controller
from .model.forces.force_element import ForceElement
from .model.forces.friction import BearingFriction, Friction
from .model.forces.hereditary import hereditary
from .model.forces.hollow_cylinder import HollowCylinder
from .model.forces.limit import Limit
from .model.forces.load import PointForce, PointMoment
from .model.forces.passive_laws import DamperTable, Linear, SmoothSpringTable, SpringTable, ViscoElastic
from .model.forces.shapes import Box, Cylinder, Plane, Sphere
from .model.forces.spring_damper import SpringDamper
from .model.forces.surface import Surface
from .model.forces.surface_contact import SurfaceContact
from .model.forces.tooth_contact import ToothContact
from .model.forces.torsion_spring import torsion_spring
from .model.forces.user_law import UserLaw
from .model.hinge_joint import HingeJoint
from .model.joints.cams import FaceOnGuideway, RollerOnGuideway
from .model.joints.compound_joints import Distance, Floating, PointOnLine, PointOnPlane, Universal
from .model.joints.couplings import Coupler
from .model.joints.following_shapes import FollowingShapes
from .model.joints.gears import Gear, Rack
from .model.joints.guideways import MuffOnGuideway, PointOnGuideway, SleeveOnGuideway
from .model.joints.lower_pairs import Cylindrical, Fixed, Planar, Prismatic, Revolute, Screw, Spherical
from .model.joints.slip_laws import Coulomb, Creep
from .model.massless_body import MasslessBody
from .model.profile import profile
from .model.rails import Rail
from .model.rigid_body import RigidBody
from .model.rolling import Rolling
from .model.sides import GROUND
from .model.sides import BodyFrame as BodyFrame
from .model.system import System
from .model.wheels import Cone, Wheel
from .results.belts import belt_grip
from .results.controllers import ControllerHistory as ControllerHistory
from .results.displacement import Chord
from .results.element_history import ElementHistory as ElementHistory
from .results.energy import BodyEnergy as BodyEnergy
from .results.energy import Energy as Energy
from .results.force_elements import ContactHistory as ContactHistory
from .results.force_elements import SlipHistory as SlipHistory
from .results.occurrences import Occurrence as Occurrence
from .results.record import Statistics as Statistics
from .results.record import Wrench as Wrench
from .results.stress import BodyStress as BodyStress
from .results.stress import Peak as Peak
from .results.tables import Table as Table

if TYPE_CHECKING:
    from .studies.samples import LatinHypercube, Random, Sobol
    from .studies.study import Study
    from .studies.study_result import StudyResult as StudyResult
    from .studies.variants import Grid, OneAtATime, VariantList
    from .view import Film as Film
    from .view import Picture as Picture
    from .view import animate, animate_mode, picture, picture_mesh, plot, plot_stress
    from .view.paraview import write_paraview

__version__ = "0.1.0"

__all__ = [
    "GROUND",
    "PID",
    "Absolute",
    "Along",
    "AsDrawn",
    "Automatic",
    "AutomaticDescription",
    "Baumgarte",
    "BearingFriction",
    "BeltSpan",
    "Between",
    "Box",
    "Bushing",
    "Chord",
    "Cone",
    "Constraint",
    "ConstraintError",
    "Contact",
    "Contacts",
    "Controller",
    "ConvergenceError",
    "Coulomb",
    "Coupler",
    "Creep",
    "Cylinder",
    "Cylindrical",
    "DamperTable",
    "Distance",
    "Drive",
    "ElectricMotor",
    "EndRun",
    "Equilibrium",
    "Event",
    "Explicit",
    "FaceOnGuideway",
    "Falling",
    "FileError",
    "Fixed",
    "FlexbodyError",
    "FlexbodyWarning",
    "FlexibleBody",
    "Floating",
    "FollowingShapes",
    "ForceElement",
    "Friction",
    "Gear",
    "GeneralizedAlpha",
    "Grid",
    "HingeJoint",
    "HollowCylinder",
    "Hybrid",
    "HydraulicActuator",
    "HydraulicCylinder",
    "Input",
    "InputError",
    "LatinHypercube",
    "Limit",
    "Line",
    "Linear",
    "LinearControl",
    "Mark",
    "MasslessBeam",
    "MasslessBody",
    "MeshError",
    "Mixed",
    "MuffOnGuideway",
    "OneAtATime",
    "Partitioned",
    "Planar",
    "Plane",
    "PointAlong",
    "PointForce",
    "PointMoment",
    "PointOnGuideway",
    "PointOnLine",
    "PointOnPlane",
    "Points",
    "PositionServo",
    "Prismatic",
    "QuasiStatic",
    "Rack",
    "Rail",
    "Random",
    "Rate",
    "Rebound",
    "RedundantConstraintWarning",
    "Relative",
    "Revolute",
    "RigidBody",
    "Rising",
    "RollerOnGuideway",
    "Rolling",
    "SciPy",
    "Screw",
    "SleeveOnGuideway",
    "SmoothSpringTable",
    "Sobol",
    "Sphere",
    "Spherical",
    "SpringDamper",
    "SpringTable",
    "Stepper",
    "Study",
    "Sundials",
    "Surface",
    "SurfaceContact",
    "Switch",
    "System",
    "ToothContact",
    "TurnAbout",
    "Universal",
    "UserControl",
    "UserLaw",
    "VariantList",
    "ViscoElastic",
    "Wheel",
    "animate",
    "animate_mode",
    "assemble",
    "belt",
    "belt_grip",
    "bias",
    "body_load",
    "campbell",
    "cut_body",
    "elastodynamics",
    "equilibrium",
    "equivalent_particles",
    "fem",
    "hereditary",
    "inertia_forces",
    "inverse_dynamics",
    "jacobian",
    "kinematics",
    "linearize",
    "load_result",
    "mass_matrix",
    "mobility",
    "modal",
    "picture",
    "picture_mesh",
    "plot",
    "plot_stress",
    "profile",
    "simulate",
    "speeds",
    "topology",
    "torsion_spring",
    "write_paraview",
]

#: Types of what functions return. Scripts read their attributes and name them in annotations, but construct none.
RESULT_TYPES = (
    "Assembly",
    "BodyEnergy",
    "BodyFrame",
    "BodyStress",
    "Campbell",
    "ClosedGap",
    "ContactHistory",
    "ControllerHistory",
    "ElementHistory",
    "Energy",
    "Film",
    "InertiaForces",
    "Linearization",
    "Mobility",
    "Move",
    "Occurrence",
    "Particles",
    "Peak",
    "Picture",
    "Result",
    "SlipHistory",
    "Snapshot",
    "State",
    "StateSpace",
    "Statistics",
    "StudyResult",
    "Table",
    "Topology",
    "Wrench",
)

#: what is imported when it is first asked for (PEP 562), and from where: pictures need a third of the modules,
#: and studies need pictures.
#: No module of flexbody may have one of these names: importing it would put the module in the function's place.
_LATER = {
    "Film": ".view",
    "Grid": ".studies.variants",
    "LatinHypercube": ".studies.samples",
    "OneAtATime": ".studies.variants",
    "Picture": ".view",
    "Random": ".studies.samples",
    "Sobol": ".studies.samples",
    "Study": ".studies.study",
    "StudyResult": ".studies.study_result",
    "VariantList": ".studies.variants",
    "animate": ".view",
    "animate_mode": ".view",
    "picture": ".view",
    "picture_mesh": ".view",
    "plot": ".view",
    "plot_stress": ".view",
    "write_paraview": ".view.paraview",
}


#: what other programs and other engineers call what is here
_WORDS = {
    "actuator": "Drive, ElectricMotor or HydraulicActuator",
    "ball": "Spherical",
    "balljoint": "Spherical",
    "bearing": "Revolute or Bushing",
    "body": "RigidBody or FlexibleBody",
    "cardan": "Universal",
    "damper": "SpringDamper",
    "eigenmodes": "linearize",
    "force": "PointForce",
    "ground": "GROUND",
    "hinge": "Revolute",
    "hooke": "Universal",
    "inplace": "Fixed",
    "machine": "System",
    "moment": "PointMoment",
    "motion": "Drive",
    "motor": "Drive or ElectricMotor",
    "pin": "Revolute",
    "rigid": "RigidBody or Fixed",
    "run": "simulate",
    "slider": "Prismatic",
    "solve": "simulate",
    "spring": "SpringDamper",
    "torque": "PointMoment",
    "torsionspring": "torsion_spring",
    "translational": "Prismatic",
    "weld": "Fixed",
}


def __getattr__(name: str) -> Any:
    """Return what is imported later, and keep it."""
    if name not in _LATER:
        others = {"fem": fem.__all__, "modal": modal.__all__}
        raise no_attribute(__name__, name, [*__all__, *RESULT_TYPES], _WORDS, others)
    globals()[name] = getattr(import_module(_LATER[name], __name__), name)
    return globals()[name]


def __dir__() -> list[str]:
    """Return what is public; modules are found by their own names, such as flexbody.results."""
    return [*__all__, *RESULT_TYPES, "RESULT_TYPES", "__version__"]
