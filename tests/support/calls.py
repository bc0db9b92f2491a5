"""A valid call of every function, class and method that scripts may call, with an example of each argument."""

from functools import cache
from typing import Any

import numpy as np
import scipy.sparse

import fem
import flexbody as fb
import modal

NOWHERE = "no such folder/a"


class Parts:
    """Small objects of all kinds, made once."""

    def __init__(self) -> None:
        self.steel = fem.Isotropic(210e9, 0.3, 7850.0)
        self.mesh = fem.box((0.15, 0.014, 0.01), (4, 1, 1))
        self.section = fem.Circle(0.01)
        self.fe = fem.assemble(self.mesh, self.steel)
        self.u = np.zeros(self.fe.n)
        self.static = fem.static(self.fe, "x0", [fem.Force("x1", (0, 0, -1))])
        self.stress = fem.stress(self.fe, self.static.u)
        self.line = fem.Mesh(
            [[0, 0, 0], [0.1, 0, 0]],
            [fem.Block("line2", [[0, 1]])],
            {"x0": [0], "x1": [1]},
            element_sets={"all": [0]},
        )
        self.frame = fem.assemble(self.line, fem.Beam(self.steel, self.section))
        self.sheet = fem.Mesh(
            [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]],
            [fem.Block("quad4", [[0, 1, 2, 3]])],
            {"e": [0, 1], "f": [2, 3]},
        )
        self.basis = modal.craig_bampton(self.fe, interfaces=("x0", "x1"), n_normal=2)
        self.reduced = modal.reduce(self.fe, self.basis)
        self.crank = fb.RigidBody("crank", 0.5, (1e-4,) * 3, center=(0.02, 0, 0), markers={"m": (0, 0, 0)})
        place = {"x0": (0.04, 0, 0), "x1": (0.19, 0, 0)}
        self.rod = fb.FlexibleBody("rod", self.reduced, place=place, up=(0, 0, 1))
        self.hinge = fb.Revolute("main", fb.GROUND, self.crank, point=(0, 0, 0))
        self.pin = fb.Revolute("pin", self.crank, self.rod["x0"])
        self.slide = fb.Prismatic("slide", fb.GROUND, self.crank, point=(0, 0, 0))
        self.wind = fb.Input("wind", 1.0)
        self.motor = fb.ForceElement("motor", fb.Along(self.hinge), fb.Linear(1.0, 0.1, force=self.wind))
        self.system = fb.System([self.crank, self.rod], [self.hinge, self.pin], [self.motor])
        self.result = fb.simulate(self.system, 1e-3, step=1e-4, output_step=1e-4, show_progress=False)
        self.pendulum = fb.System([self.crank], [self.hinge], gravity=(9.81, 0, 0))
        self.rotor = fb.System([self.crank], [self.hinge])
        self.rest = fb.equilibrium(self.pendulum)
        self.linear = fb.linearize(self.rest)
        self.stepper = fb.Stepper(self.system, step=1e-4)
        self.line_of_force = fb.Line(fb.GROUND, self.crank, first_point=(0, 0, 1), second_point=(0, 0, 0))


@cache
def parts() -> Parts:
    """Return the objects."""
    return Parts()


@cache
def calls() -> dict[str, dict[str, Any]]:
    """Return the arguments of a valid call by the name of what is called; "self" is the object of a method."""
    p = parts()
    return {
        **_fem(p),
        **_fem_methods(p),
        **_modal(p),
        **_modal_methods(p),
        **_model(p),
        **_joints(p),
        **_laws(p),
    } | {**_analyses(p), **_views(p), **_result_methods(p)}


def _fem(p: Parts) -> dict[str, dict[str, Any]]:
    structure, steel, mesh = dict(structure=p.fe), p.steel, p.mesh
    matrices = dict(K=scipy.sparse.csr_array(np.diag([1.0, 4.0])), M=scipy.sparse.csr_array(np.eye(2)))
    load = fem.Force("x1", (-1, 0, 0))
    return {
        "fem.Averaged": dict(name="r", nodes="x0", reference=None, at=(0, 0, 0)),
        "fem.Beam": dict(
            material=steel,
            section=p.section,
            up=(0, 0, 1),
            shear=True,
            rotary=True,
            offset=(0, 0),
            releases={"start": ["ry"]},
        ),
        "fem.Bearing": dict(on="x0", force=(0, 0, 1)),
        "fem.Block": dict(element="tet4", nodes=[[0, 1, 2, 3]], ids=[7]),
        "fem.Centrifugal": dict(rate=(0, 0, 1), about=(0, 0, 0)),
        "fem.Circle": dict(d=0.1, nu=0.3),
        "fem.EdgeLoad": dict(on="x0", force=(0, 0, 1)),
        "fem.Element": None,
        "fem.Force": dict(at="x0", force=(1, 0, 0), moment=(0, 0, 0)),
        "fem.Gravity": dict(acceleration=(0, 0, -9.8)),
        "fem.ISection": dict(height=0.2, width=0.1, web=0.01, flange=0.01, radius=0.001, nu=0.3),
        "fem.Isotropic": dict(E=1e9, nu=0.3, rho=1000.0),
        "fem.LineLoad": dict(on="all", force=(0, 0, 1)),
        "fem.Mesh": dict(
            points=np.eye(4, 3),
            blocks=(fem.Block("tet4", [[0, 1, 2, 3]]),),
            node_sets={"a": [0]},
            faces={},
            element_sets={"e": [0]},
            materials={"steel": steel},
            sections=(("e", "steel"),),
            name="m",
            path=None,
            units="SI",
        ),
        "fem.Orthotropic": dict(E=(1e9,) * 3, nu=(0.3,) * 3, G=(4e8,) * 3, rho=1000.0, axes=np.eye(3)),
        "fem.PointMass": dict(at="x0", mass=1.0, inertia=(1, 1, 1)),
        "fem.Pressure": dict(on="x0", pressure=1.0),
        "fem.Rectangle": dict(width_y=0.1, height_z=0.2, nu=0.3),
        "fem.Rigid": dict(name="r", nodes="x0", reference=None, at=(0, 0, 0)),
        "fem.Section": dict(
            A=1e-4,
            Iy=1e-9,
            Iz=1e-9,
            J=1e-9,
            ky=0.8,
            kz=0.8,
            Iyz=0.0,
            shear_centre=(0, 0),
            wagner=(0, 0),
            points=((0.01, 0),),
            radius=0.01,
            torsion_modulus=1e-7,
            shear_peak=(1.5, 1.5),
            outline=((0, 0), (0.01, 0), (0, 0.01)),
        ),
        "fem.Shell": dict(material=steel, thickness=0.01, offset=0.0),
        "fem.Solid": dict(material=steel, incompatible=True),
        "fem.Spring": dict(first="x0", second=None, stiffness=[1e5] * 6, axes=np.eye(3)),
        "fem.Traction": dict(on="x0", traction=(1, 0, 0)),
        "fem.Truss": dict(material=steel, area=1e-4),
        "fem.Tube": dict(outer=0.1, thickness=0.01, nu=0.3),
        "fem.assemble": dict(mesh=mesh, material=steel, parts=(), lumped=False),
        "fem.box": dict(size=(1, 1, 1), divisions=(1, 1, 1), element="hex8", origin=(0, 0, 0)),
        "fem.buckling": structure | dict(supports="x0", loads=load, n=1, positive=False, solver="superlu"),
        "fem.check_complete": matrices | dict(values=[1.0, 4.0], rigid=0, solver="superlu"),
        "fem.check_units": dict(mesh=mesh, materials=steel),
        "fem.count_below": matrices | dict(shift=2.0, solver="superlu", show=False),
        "fem.divide": dict(mesh=mesh, axis="x", n=2),
        "fem.drop_unattached": dict(mesh=mesh),
        "fem.factorise": dict(
            A=matrices["K"], definite=True, solver="superlu", names=str, forces=lambda r: r, show=False
        ),
        "fem.geometric_stiffness": structure | dict(u=p.static.u, loads=load),
        "fem.installed_solvers": dict(definite=True),
        "fem.interface": structure | dict(name="x0", rigid=False),
        "fem.load_vector": structure | dict(loads=[load]),
        "fem.merge_nodes": dict(mesh=mesh, tol=1e-6),
        "fem.orient_shells": dict(mesh=p.sheet),
        "fem.principal": dict(stress=[1.0, 0, 0, 0, 0, 0]),
        "fem.read_mesh": dict(path=NOWHERE + ".msh", units="SI", elements=()),
        "fem.rigid_motions": dict(points=np.eye(3), about=(0, 0, 0), freedoms=None),
        "fem.shape_quality": dict(mesh=mesh),
        "fem.static": structure | dict(supports="x0", loads=[load], solver="superlu"),
        "fem.strain": structure | dict(u=p.static.u),
        "fem.stress": structure | dict(u=p.static.u, loads=load, acceleration=None),
        "fem.vibration": structure | dict(n=2, supports="x0", solver="superlu"),
        "fem.von_mises": dict(stress=[1.0, 0, 0, 0, 0, 0]),
    }


def _fem_methods(p: Parts) -> dict[str, dict[str, Any]]:
    fields = ("body_force", "displacements", "elastic_forces", "forces_by_element", "inertia_forces")
    return {
        "fem.Mesh.edges_of": dict(self=p.sheet, name="e"),
        "fem.Mesh.element_name": dict(self=p.mesh, index=0),
        "fem.Mesh.elements_of": dict(self=p.line, name="all"),
        "fem.Mesh.faces_of": dict(self=p.mesh, name="x0"),
        "fem.Mesh.nodes_of": dict(self=p.mesh, name="x0"),
        "fem.Mesh.select": dict(self=p.mesh, name="n", plane=((0, 0, 0), (1, 0, 0)), tol=1e-6, surface=True),
        "fem.Static.at": dict(self=p.static, name="x1"),
        "fem.Static.reaction": dict(self=p.static, name="x0", about=(0, 0, 0)),
        "fem.Stress.section_forces": dict(self=fem.stress(p.frame, np.zeros(p.frame.n)), name="all"),
        **{
            f"fem.Structure.{name}": {"self": p.fe, "force" if name == "body_force" else "u": p.u}
            for name in fields
        },
        "fem.Structure.rotations": dict(self=p.frame, u=np.zeros(p.frame.n)),
        "fem.Structure.held": dict(self=p.fe, nodes=[0, 1], components=(0, 1)),
        "fem.Structure.of_elements": dict(self=p.fe, group=p.fe.groups[0], u=p.u),
        "fem.Structure.rigid_modes": dict(self=p.fe, about=(0, 0, 0)),
    }


def _modal(p: Parts) -> dict[str, dict[str, Any]]:
    structure, both = dict(structure=p.fe), ("x0", "x1")
    load = fem.Force("x1", (0, 0, 1))
    return {
        "modal.Basis": structure
        | dict(Phi=p.basis.Phi, labels=p.basis.labels, interfaces=p.basis.interfaces, kind="given"),
        "modal.Chord": dict(a="x0", b="x1"),
        "modal.FixedPoint": dict(at="x0"),
        "modal.Prescribed": dict(held={"x0": ("x", "y", "z", "rx"), "x1": ("y", "z")}),
        "modal.ReducedBody": {
            name: getattr(p.reduced, name)
            for name in (
                "name",
                "frame",
                "origin",
                "mass",
                "C1",
                "C2",
                "C3",
                "C4",
                "C5",
                "C6",
                "C7",
                "C8",
                "K",
                "mean",
                "markers",
                "surface",
                "provenance",
                "notes",
                "C5_stiffening",
                "accuracy",
                "axial",
                "linear",
            )
        },
        "modal.accuracy": structure | dict(reduced=p.reduced, interfaces=both, n=2),
        "modal.all_degrees_of_freedom": structure | dict(supports="x0", interfaces=("x1",)),
        "modal.attachment_modes": structure | dict(at="x1", supports="x0"),
        "modal.combine": dict(bases=p.basis),
        "modal.constraint_modes": structure | dict(interfaces=both, interface=modal.Averaged()),
        "modal.craig_bampton": structure | dict(interfaces=both, n_normal=2, interface=modal.Averaged()),
        "modal.craig_chang": structure | dict(interfaces=both, n_normal=2),
        "modal.displacement_modes": structure | dict(at="x1", supports="x0"),
        "modal.eigenmodes": structure | dict(n=2, supports=(), masses=(fem.PointMass("x1", 1.0),)),
        "modal.inertia_modes": structure | dict(supports="x0", interfaces=(), rotation=False),
        "modal.interface_effect": structure | dict(interfaces=both, n=2),
        "modal.load": dict(path=NOWHERE + ".h5"),
        "modal.lower": dict(body=p.reduced, ceiling_hz=1e5, modes=None, matter_hz=None),
        "modal.lumping": structure | dict(basis=p.basis, n=2),
        "modal.recommend": structure | dict(interfaces=both, f_max_hz=1000.0, loads=(load,)),
        "modal.reduce": structure
        | dict(basis=p.basis, frame=None, markers=(), name="n", stiffening=None, stress=True),
        "modal.static_modes": structure | dict(loads=[load], supports="x0"),
        "modal.stress_error": structure | dict(body=p.reduced, interfaces=both),
        "modal.tune": dict(body=p.reduced, exact_hz={0: 1000.0}),
        "modal.assumed.End": None,
        "modal.assumed.Natural": dict(function=np.polynomial.Polynomial([0.0, 1.0])),
        "modal.assumed.beam": dict(
            length=1.0,
            rho=7850.0,
            area=1e-4,
            EI=100.0,
            EA=1e6,
            polar_inertia=0.0,
            y=modal.assumed.sines(2),
            z=(),
            x=(),
            frame=None,
            markers={"end": 1.0},
            stiffening=None,
            name="beam",
        ),
        "modal.assumed.beam_modes": dict(n=2, start=modal.assumed.End.CLAMPED, end=modal.assumed.End.FREE),
        "modal.assumed.plate": dict(
            size=(1.0, 1.0),
            thickness=0.01,
            material=p.steel,
            w=modal.assumed.products(modal.assumed.sines(1), modal.assumed.sines(1)),
            frame=None,
            markers={"corner": (0.5, 0.5)},
            rotary=False,
            name="plate",
        ),
        "modal.assumed.products": dict(x=modal.assumed.sines(1), y=modal.assumed.sines(1)),
        "modal.assumed.sines": dict(n=2),
    }


def _modal_methods(p: Parts) -> dict[str, dict[str, Any]]:
    alpha, turn = np.zeros(len(p.reduced.K)), np.eye(3)
    recovery = p.reduced.surface.read()
    modes = recovery.stress or recovery.read_stress()
    axial = modal.assumed.beam(
        1.0,
        rho=7850.0,
        area=1e-4,
        EI=100.0,
        EA=1e6,
        y=modal.assumed.sines(1),
        x=modal.assumed.quintic(),
        stiffening=modal.AxialModes(),
    ).axial
    stresses = {"self": modes, "alpha": alpha[None]}
    return {
        "modal.ReducedBody.marker": dict(self=p.reduced, name="x0"),
        "modal.ReducedBody.report": dict(self=p.reduced, structure=p.fe),
        "modal.ReducedBody.save": dict(self=p.reduced, path=NOWHERE + ".h5"),
        "modal.ReducedBody.turned": dict(self=p.reduced, R=turn),
        "modal.ReducedBody.with_accuracy": dict(self=p.reduced, structure=p.fe, interfaces=None, n=2),
        "modal.AxialEnergy.energy": dict(self=axial, alpha=np.zeros(axial.quadratic.shape[-1])),
        "modal.Marker.turned": dict(self=p.reduced.markers["x0"], R=turn),
        "modal.Recovery.turned": dict(self=recovery, R=turn),
        "modal.StressModes.measure": stresses | dict(what="von_mises", rows=None, extremes=None),
        "modal.StressModes.on_surface": stresses | dict(what="von_mises"),
        "modal.StressModes.principal_axes": stresses | dict(rows=[0]),
        "modal.StressModes.rows_of": dict(self=modes, name="x0"),
        "modal.StressModes.section_forces": stresses | dict(rows=[]),
        "modal.StressModes.stress": stresses | dict(rows=[0]),
        "modal.StressModes.turned": dict(self=modes, R=turn),
    }


def _model(p: Parts) -> dict[str, dict[str, Any]]:
    ends = dict(first=fb.GROUND, second=p.crank, first_point=(0, 0, 1), second_point=(0, 0, 0))
    load = dict(name="f", at=p.crank, value=(1, 0, 0), point=(0, 0, 0), follows=False)
    return {
        "fb.RigidBody": dict(
            name="b",
            mass=1.0,
            inertia=(1, 1, 1),
            center=(0, 0, 0),
            velocity=(0, 0, 0),
            angular_velocity=(0, 0, 0),
            markers={"m": (0, 0, 0)},
        ),
        "fb.FlexibleBody": dict(
            name="r",
            reduced=p.reduced,
            place={"x0": (0, 0, 0), "x1": (0.15, 0, 0)},
            up=(0, 0, 1),
            velocity=(0, 0, 0),
            angular_velocity=(0, 0, 0),
            damping_ratio=0.01,
            alpha=None,
            alpha_dot=None,
            stiffening=True,
        ),
        "fb.System": dict(bodies=[p.crank, p.rod], joints=[p.hinge, p.pin], forces=[], gravity=(0, 0, -9.81)),
        "fb.System.body": dict(self=p.system, which="crank"),
        "fb.System.joint": dict(self=p.system, which="main"),
        "fb.System.host_of": dict(self=p.system, which="main"),
        "fb.Input": dict(name="i", initial=0.0),
        "fb.Along": dict(joint=p.hinge, which=None, free_value=0.0),
        "fb.Line": ends | dict(free_length=0.1),
        "fb.ForceElement": dict(name="f", along=p.line_of_force, law=fb.Linear(1.0)),
        "fb.SpringDamper": ends | dict(name="f", stiffness=1.0, damping=1.0, free_length=0.1, force=0.0),
        "fb.torsion_spring": dict(
            name="t", joint=p.hinge, stiffness=1.0, damping=0.0, free_value=0.0, moment=0.0
        ),
        "fb.Bushing": dict(
            name="f",
            first=fb.GROUND,
            second=p.crank,
            stiffness=[1.0] * 6,
            damping=[1.0] * 6,
            point=(0, 0, 0),
            axes=np.eye(3),
        ),
        "fb.MasslessBeam": ends
        | dict(name="f", beam=fem.Beam(p.steel, p.section, up=(0, 1, 0)), damping_time=1e-4),
        "fb.Friction": dict(
            name="f",
            joint=p.hinge,
            which=None,
            load=1.0,
            regularisation_velocity=1e-3,
            static=2.0,
            stribeck_velocity=0.01,
            viscous=0.1,
        ),
        "fb.BearingFriction": dict(
            name="f",
            joint=p.hinge,
            which=None,
            mu=0.1,
            regularisation_velocity=1e-3,
            mu_static=0.2,
            stribeck_velocity=0.01,
            viscous=0.1,
            radius=0.01,
            collar=0.01,
            length=0.02,
            preload=1.0,
        ),
        "fb.Limit": dict(
            name="l",
            joint=p.hinge,
            which=None,
            lower=-1.0,
            upper=1.0,
            stiffness=10.0,
            exponent=1.5,
            dissipation=0.1,
        ),
        "fb.PointForce": load,
        "fb.PointMoment": load,
    }


def _joints(p: Parts) -> dict[str, dict[str, Any]]:
    joint = dict(name="j", first=fb.GROUND, second=p.crank, point=(0, 0, 0))
    along_axis = ("Fixed", "Revolute", "Cylindrical", "Prismatic", "PointOnLine")
    directed = ("Planar", "PointOnPlane", "Floating")
    return {
        **{f"fb.{name}": joint | dict(axis="z") for name in along_axis},
        **{f"fb.{name}": joint | dict(axis="z", along="x") for name in directed},
        "fb.Spherical": joint,
        "fb.Universal": joint | dict(axes=("y", "z")),
        "fb.Screw": joint | dict(axis="z", pitch=0.01),
        "fb.Distance": dict(
            name="j",
            first=fb.GROUND,
            second=p.crank,
            first_point=(0, 0, 1),
            second_point=(0, 0, 0),
            length=1.0,
            velocity=None,
            acceleration=None,
        ),
        "fb.Constraint": dict(name="c", at=[p.crank], position=lambda t, a: a.r[2], velocity=None),
        "fb.Coupler": dict(
            name="c", terms=[(p.hinge, 1.0), (p.pin, -1.0)], value=0.0, velocity=None, acceleration=None
        ),
        "fb.Drive": dict(
            name="d", joint=p.hinge, rate=1.0, value=None, velocity=None, acceleration=None, which=None
        ),
        "fb.Gear": dict(
            name="g", first=p.hinge, second=p.pin, ratio=2.0, internal=False, pressure_angle=None
        ),
        "fb.Rack": dict(
            name="g", pinion=p.hinge, rack=p.slide, radius=0.1, which="slide", pressure_angle=None
        ),
    }


def _laws(p: Parts) -> dict[str, dict[str, Any]]:
    table = dict(x=(0, 1, 2, 3), force=(0, 1, 2, 3), damping=0.0)
    motor = dict(constant=0.1, resistance=1.0, inductance=1e-3, start=0.0)
    return {
        "fb.Linear": dict(stiffness=1.0, damping=1.0, force=0.0),
        "fb.SpringTable": table,
        "fb.SmoothSpringTable": table,
        "fb.DamperTable": dict(rate=(0, 1, 2), force=(0, 1, 2), stiffness=0.0),
        "fb.ViscoElastic": dict(stiffness=1.0, branches=[(1.0, 0.1)], damping=0.0, start=None),
        "fb.ElectricMotor": motor | dict(voltage=1.0),
        "fb.PositionServo": motor | dict(gain=1.0, target=0.0, rate_gain=1.0, limit=10.0),
        "fb.HydraulicActuator": dict(area=1e-3, pressure=1e5),
        "fb.HydraulicCylinder": dict(
            area=1e-3, volume=1e-4, flow=0.0, bulk_modulus=1e9, leakage=0.0, start=0.0
        ),
        "fb.UserLaw": dict(force=lambda t, x, v: 0.0, rates=None, start=()),
    }


def _analyses(p: Parts) -> dict[str, dict[str, Any]]:
    machine, hidden = dict(machine=p.pendulum), dict(show_progress=False)
    described = machine | dict(description=fb.Absolute())
    at_rest = dict(state=p.rest, tree=fb.topology(p.pendulum))
    drives = [fb.Drive("d", p.hinge, rate=1.0), fb.Drive("e", p.pin, rate=1.0)]
    moved = fb.System([p.crank, p.rod], [p.hinge, p.pin, *drives])
    driven = fb.System([p.crank], [p.hinge, fb.Drive("d", p.hinge, rate=1.0)])
    return {
        "fb.Automatic": dict(rtol=1e-5),
        "fb.Explicit": dict(rtol=1e-8, step=1e-4, max_step=None, min_step=None),
        "fb.GeneralizedAlpha": dict(
            rho_inf=0.8,
            step=1e-4,
            rtol=1e-5,
            vibrations=None,
            max_step=None,
            min_step=None,
            newton_rtol=None,
            max_iterations=12,
            index=2,
        ),
        "fb.SciPy": dict(method="DOP853", rtol=1e-8, max_step=None),
        "fb.Sundials": dict(method="BDF", rtol=1e-8, max_step=None),
        "fb.Equilibrium": dict(spin=None, about=(0, 0, 0), load_steps=1),
        "fb.Relative": dict(base=()),
        "fb.QuasiStatic": dict(rates=True),
        "fb.assemble": machine,
        "fb.simulate": described
        | hidden
        | dict(t_end=1e-2, start=None, integrator=None, step=1e-3, output_step=1e-3, save=None),
        "fb.kinematics": hidden
        | dict(machine=driven, t_end=1e-2, output_step=1e-3, rtol=1e-8, description=None),
        "fb.elastodynamics": hidden
        | dict(machine=moved, t_end=1e-2, output_step=1e-3, rtol=1e-8, description=None, save=None),
        "fb.equilibrium": described
        | dict(t=0.0, spin=None, about=(0, 0, 0), start=None, load_steps=1, max_iterations=20),
        "fb.mobility": described | dict(t=0.0, state=None),
        "fb.linearize": described | dict(state=None, t=0.0, spin=None, about=(0, 0, 0)),
        "fb.campbell": dict(
            machine=p.rotor, rates=(0.0,), axis="z", about=(0, 0, 0), modes=None, description=None
        ),
        "fb.topology": machine | dict(keep=(), cut=(), base=()),
        "fb.bias": at_rest,
        "fb.inverse_dynamics": at_rest | dict(accelerations=[0.0]),
        "fb.jacobian": at_rest | dict(frame="crank"),
        "fb.mass_matrix": at_rest,
        "fb.speeds": at_rest,
        "fb.load_result": dict(path=NOWHERE + ".h5"),
        "fb.Stepper": described | dict(start=None, integrator=None, step=1e-4, horizon=1.0, record=True),
    }


def _views(p: Parts) -> dict[str, dict[str, Any]]:
    small = dict(size=(64, 64), title=None)
    picture = (
        dict(result=p.result, scale=1.0, colour=None, limits=None, view="iso", trace=(), forces=()) | small
    )
    films = dict(fps=25.0, show_progress=False)
    return {
        "fb.picture": picture | dict(path=None, time=0.0),
        "fb.animate": picture | films | dict(path=NOWHERE + ".gif", slow_motion=1.0, n_frames=2),
        "fb.picture_mesh": small
        | dict(
            what=p.static,
            path=None,
            colour=None,
            mode=None,
            scale=1.0,
            limits=None,
            sets=None,
            supports=(),
            loads=(),
            edges=None,
            view="iso",
        ),
        "fb.animate_mode": small
        | films
        | dict(
            what=p.linear,
            path=NOWHERE + ".gif",
            mode=0,
            colour=None,
            scale=1.0,
            period=2.0,
            cycles=1,
            edges=False,
            view="iso",
        ),
        "fb.plot": dict(result=p.result, path=NOWHERE + ".png", show=None, title=None),
        "fb.plot_stress": dict(result=p.result, path=NOWHERE + ".png", body="rod", title=None),
        "fb.write_paraview": dict(
            result=p.result, path=NOWHERE + ".vtkhdf", times=None, scale=1.0, show_progress=False
        ),
    }


def _result_methods(p: Parts) -> dict[str, dict[str, Any]]:
    run, rest, step = dict(self=p.result), dict(self=p.rest), dict(self=p.stepper)
    moving = ("position", "velocity", "acceleration", "angular_velocity", "angular_acceleration")
    stress = dict(self=p.result.stress("rod"), what="von_mises")
    campbell = fb.campbell(p.rotor, (0.0, 1.0))
    outputs = dict(inputs=None, displacements=["crank"], velocities=(), accelerations=())
    return {
        **{
            f"fb.Result.{name}": run | dict(what="crank", frame=None, relative_to=None, point=None)
            for name in moving
        },
        **{f"fb.State.{name}": rest | dict(what="crank") for name in (*moving, "rotation")},
        **{f"fb.Stepper.{name}": step | dict(what="crank") for name in (*moving, "rotation")},
        **{f"fb.Stepper.{name}": step | dict(body="rod") for name in ("alpha", "alpha_dot")},
        "fb.Stepper.displacement": step | dict(what="crank", point=(0, 0, 0), relative_to="drawn"),
        "fb.Stepper.reaction": step | dict(joint="main"),
        **{
            f"fb.Result.{name}": run | dict(body="rod")
            for name in ("alpha", "alpha_dot", "body_energy", "euler", "index")
        },
        **{f"fb.State.{name}": rest | dict(body="crank") for name in ("alpha", "alpha_dot")},
        **{
            f"fb.Result.{name}": run | dict(joint="main", which=None)
            for name in ("coordinate", "coordinate_rate", "coordinate_acceleration")
        },
        **{
            f"fb.State.{name}": rest | dict(joint="main", which=None)
            for name in ("coordinate", "coordinate_rate")
        },
        **{
            f"fb.Stepper.{name}": step | dict(joint="main", which=None)
            for name in ("coordinate", "coordinate_rate")
        },
        "fb.Result.rotation": run | dict(what="crank", relative_to=None, point=None),
        "fb.Result.displacement": run
        | dict(what="rod", point="x0", relative_to="body", ends=None, frame=None),
        "fb.Result.element": run | dict(which="motor"),
        "fb.Result.reaction": run | dict(joint="main", frame=None, body=None),
        "fb.Result.save": run | dict(path=NOWHERE + ".h5"),
        "fb.Result.state": run | dict(t=0.0),
        "fb.Result.state_at": run | dict(k=0),
        "fb.Result.stress": run | dict(body="rod", at=None, times=None),
        "fb.Result.table": run | dict(wanted=("velocity", "crank")),
        "fb.State.displacement": rest | dict(what="crank", point=(0, 0, 0), relative_to="drawn"),
        "fb.State.reaction": rest | dict(joint="main"),
        "fb.State.state": rest | dict(t=None),
        "fb.Stepper.__getitem__": step | dict(name="wind"),
        "fb.Stepper.advance": step | dict(dt=1e-4),
        "fb.Stepper.restore": step | dict(state=p.stepper.save()),
        "fb.Stepper.set": step | dict(wind=1.0),
        "fb.BodyStress.measure": stress,
        "fb.BodyStress.peak": stress,
        "fb.BodyStress.range": stress,
        "fb.Campbell.plot": dict(self=campbell, path=NOWHERE + ".png", orders=(1, 2), title=None),
        "fb.ElementHistory.__getitem__": dict(self=p.result.element("motor"), what="force"),
        "fb.Linearization.motion": dict(self=p.linear, mode=0, size=0.05, frames=3),
        "fb.Linearization.shape": dict(self=p.linear, mode=0, body="crank"),
        "fb.Linearization.state_space": outputs | dict(self=p.linear),
        "fb.StateSpace.response": dict(self=p.linear.state_space(**outputs), frequencies_hz=[1.0, 2.0]),
        "fb.Table.__getitem__": dict(self=p.result.table(("velocity", "crank")), label="time (s)"),
        "fb.Topology.path": dict(self=fb.topology(p.system), body="rod"),
        "fb.Topology.plot": dict(self=fb.topology(p.system), path=NOWHERE + ".png", title=None),
        "fb.Table.save": dict(self=p.result.table(("velocity", "crank")), path=NOWHERE + ".csv"),
        "fb.Picture.__getitem__": None,
        "fb.Picture.save": dict(self=fb.picture(p.result, size=(64, 64)), path=NOWHERE + ".png"),
    }
