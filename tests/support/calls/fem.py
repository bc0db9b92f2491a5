"""Valid calls of the package ``fem``."""

import numpy as np
import scipy.sparse

import fem

from .parts import NOWHERE, Calls, Parts


def calls(p: Parts) -> Calls:
    """Return the arguments of a valid call by the name of what is called."""
    return {
        **_meshes(p),
        **_methods_of_meshes(p),
        **_sections(),
        **_elements(p),
        **_parts_of_structures(),
        **_loads(p),
        **_analyses(p),
        **_solvers(),
        **_methods_of_structures(p),
    }


def _meshes(p: Parts) -> Calls:
    mesh = dict(
        points=np.eye(4, 3), blocks=(fem.Block("tet4", [[0, 1, 2, 3]]),), node_sets={"a": [0]}, faces={},
        element_sets={"e": [0]}, materials={"steel": p.steel}, properties={"e": p.steel}, parts=(),
        supports={"a": "all"}, systems={"1": fem.CoordinateSystem()}, doubts=(),
        left_out=(fem.LeftOut("FORCE", "a load"),), node_ids=[1, 2, 3, 9], name="m", path=None, units="SI",
    )  # fmt: skip
    return {
        "fem.Block": dict(element="tet4", nodes=[[0, 1, 2, 3]], ids=[7]),
        "fem.Mesh": mesh,
        "fem.CoordinateSystem": dict(origin=(0, 0, 0), axes=np.eye(3)),
        "fem.CylindricalSystem": dict(origin=(0, 0, 0), axes=np.eye(3)),
        "fem.FirstSide": dict(mean=True),
        "fem.SphericalSystem": dict(origin=(0, 0, 0), axes=np.eye(3)),
        "fem.LeftOut": dict(what="FORCE", why="loads are given to fem.static", count=2, lines=("1", "2")),
        "fem.box": dict(size=(1, 1, 1), divisions=(1, 1, 1), element="hex8", origin=(0, 0, 0)),
        "fem.read_mesh": dict(path=NOWHERE + ".msh", units="SI", elements=(), size=0.1, spc=1, mpc=1, nsm=1),
        "fem.check_units": dict(mesh=p.mesh, materials=p.steel),
        "fem.divide": dict(mesh=p.mesh, axis="x", n=2),
        "fem.drop_unattached": dict(mesh=p.mesh),
        "fem.merge_nodes": dict(mesh=p.mesh, tol=1e-6),
        "fem.orient_shells": dict(mesh=p.sheet),
        "fem.shape_quality": dict(mesh=p.mesh),
    }


def _methods_of_meshes(p: Parts) -> Calls:
    return {
        "fem.Mesh.edges_of": dict(self=p.sheet, name="e"),
        "fem.Mesh.element_name": dict(self=p.mesh, index=0),
        "fem.Mesh.elements_of": dict(self=p.line, name="all"),
        "fem.Mesh.faces_of": dict(self=p.mesh, name="x0"),
        "fem.CoordinateSystem.points": dict(self=fem.CoordinateSystem(), coordinates=[[1.0, 2.0, 3.0]]),
        "fem.CoordinateSystem.axes_at": dict(self=fem.CoordinateSystem(), point=(1.0, 2.0, 3.0)),
        "fem.Mesh.nodes_of": dict(self=p.mesh, name="x0"),
        "fem.Mesh.select": dict(self=p.mesh, name="n", plane=((0, 0, 0), (1, 0, 0)), tol=1e-6, surface=True),
    }


def _sections() -> Calls:
    section = dict(
        A=1e-4, Iy=1e-9, Iz=1e-9, J=1e-9, ky=0.8, kz=0.8, Iyz=0.0, shear_centre=(0, 0), wagner=(0, 0),
        points=((0.01, 0),), radius=0.01, torsion_modulus=1e-7, shear_peak=(1.5, 1.5),
        outline=((0, 0), (0.01, 0), (0, 0.01)), centroid=(0, 0),
    )  # fmt: skip
    return {
        "fem.Section": section,
        "fem.Circle": dict(d=0.1, nu=0.3),
        "fem.DrawnSection": dict(
            parts=[[(0, 0), (1, 0), (0, 1)]], holes=[[(0.1, 0.1), (0.2, 0.1), (0.1, 0.2)]], nu=0.3
        ),
        "fem.ISection": dict(height=0.2, width=0.1, web=0.01, flange=0.01, radius=0.001, nu=0.3),
        "fem.Rectangle": dict(width_y=0.1, height_z=0.2, nu=0.3),
        "fem.Tube": dict(outer=0.1, thickness=0.01, nu=0.3),
    }


def _elements(p: Parts) -> Calls:
    beam = dict(
        section=p.section, up=(0, 0, 1), shear=True, rotary=True, offset=(0, 0), releases={"start": ["ry"]}
    )
    return {
        "fem.Element": None,
        "fem.Isotropic": dict(E=1e9, nu=0.3, rho=1000.0),
        "fem.Orthotropic": dict(E=(1e9,) * 3, nu=(0.3,) * 3, G=(4e8,) * 3, rho=1000.0, axes=np.eye(3)),
        "fem.Anisotropic": dict(constants=1e9 * np.eye(6), rho=1000.0, axes=np.eye(3)),
        "fem.Ply": dict(E1=1e9, E2=1e9, nu12=0.3, G12=4e8, rho=1000.0, G13=None, G23=3e8),
        "fem.Layer": dict(material=p.steel, thickness=0.01, degrees=45.0),
        "fem.LayeredShell": dict(layers=(fem.Layer(p.steel, 0.01),), axis=(1, 0, 0), offset=0.0),
        "fem.Solid": dict(material=p.steel, brick=fem.MeanDilatation(), reduced=False, axes=None),
        "fem.Shell": dict(
            material=p.steel,
            thickness=0.01,
            offset=0.0,
            thickness_at=None,
            bending_material=p.steel,
            shear_material=None,
            bending_factor=1.0,
            shear_factor=0.8,
        ),
        "fem.Membrane": dict(
            material=p.steel, thickness=0.01, plane_strain=False, thickness_at=None, axis=(1, 0, 0)
        ),
        "fem.GeneralShell": dict(
            plane=1e6 * np.eye(6),
            shear=1e6 * np.eye(2),
            thickness=0.01,
            mass=80.0,
            axis=(1, 0, 0),
            offset=0.0,
        ),
        "fem.ShearPanel": dict(material=p.steel, thickness=0.01),
        "fem.Beam": dict(material=p.steel) | beam,
        "fem.Truss": dict(material=p.steel, area=1e-4),
    }


def _parts_of_structures() -> Calls:
    connection = dict(name="r", nodes="x0", reference=None, at=(0, 0, 0))
    return {
        "fem.Averaged": connection | dict(weights=1.0),
        "fem.Rigid": connection | dict(components=("x", "rz")),
        "fem.Equation": dict(name="e", terms=[("1", "x", 1.0), ("2", "y", -1.0)]),
        "fem.Tie": dict(nodes="x0", onto="x1", tolerance=9.0, adjust=False),
        "fem.PointMass": dict(at="x0", mass=1.0, inertia=(1, 1, 1), offset=(0, 0, 1)),
        "fem.Spring": dict(first="x0", second=None, stiffness=[1e5] * 6, axes=np.eye(3)),
    }


def _loads(p: Parts) -> Calls:
    return {
        "fem.Bearing": dict(on="x0", force=(0, 0, 1)),
        "fem.Centrifugal": dict(rate=(0, 0, 1), about=(0, 0, 0)),
        "fem.EdgeLoad": dict(on="x0", force=(0, 0, 1)),
        "fem.Force": dict(at="x0", force=(1, 0, 0), moment=(0, 0, 0)),
        "fem.Gravity": dict(acceleration=(0, 0, -9.8)),
        "fem.LineLoad": dict(on="all", force=(0, 0, 1)),
        "fem.Pressure": dict(on="x0", pressure=1.0),
        "fem.Traction": dict(on="x0", traction=(1, 0, 0)),
        "fem.load_vector": dict(structure=p.fe, loads=[fem.Force("x1", (-1, 0, 0))]),
    }


def _analyses(p: Parts) -> Calls:
    structure, load = dict(structure=p.fe), fem.Force("x1", (-1, 0, 0))
    return {
        "fem.assemble": dict(mesh=p.mesh, material=p.steel, parts=(), lumped=False),
        "fem.buckling": structure
        | dict(supports="x0", loads=load, n=1, positive=False, solver=fem.SuperLU()),
        "fem.from_matrices": dict(
            K=p.fe.K,
            M=p.fe.M,
            points=p.mesh,
            dofs=3,
            node_ids=None,
            node_sets={},
            units="SI",
            mass=None,
            name="bar",
        ),
        "fem.geometric_stiffness": structure | dict(u=p.static.u, loads=load),
        "fem.interface": structure | dict(name="x0", rigid=False),
        "fem.principal": dict(stress=[1.0, 0, 0, 0, 0, 0]),
        "fem.rigid_motions": dict(points=np.eye(3), about=(0, 0, 0), freedoms=None),
        "fem.static": structure | dict(supports="x0", loads=[load], solver=fem.SuperLU()),
        "fem.preloaded": structure | dict(preload=p.static, rotating=True),
        "fem.layer_stress": structure | dict(u=p.static.u),
        "fem.strain": structure | dict(u=p.static.u),
        "fem.stress": structure | dict(u=p.static.u, loads=load, acceleration=None),
        "fem.vibration": structure | dict(n=2, supports="x0", solver=fem.SuperLU()),
        "fem.von_mises": dict(stress=[1.0, 0, 0, 0, 0, 0]),
    }


def _solvers() -> Calls:
    K, M = scipy.sparse.csr_array(np.diag([1.0, 4.0])), scipy.sparse.csr_array(np.eye(2))
    return {
        "fem.check_complete": dict(K=K, M=M, values=[1.0, 4.0], rigid=0, solver=fem.SuperLU()),
        "fem.count_below": dict(K=K, M=M, shift=2.0, solver=fem.SuperLU(), show=False),
        "fem.factorise": dict(
            A=K, definite=True, solver=fem.SuperLU(), names=str, forces=lambda r: r, show=False
        ),
        "fem.installed_solvers": dict(definite=True),
    }


def _methods_of_structures(p: Parts) -> Calls:
    of_u = ("displacements", "elastic_forces", "forces_by_element", "inertia_forces")
    at_rest = np.zeros(p.frame.n)
    return {
        **{f"fem.Structure.{name}": dict(self=p.fe, u=p.u) for name in of_u},
        "fem.Structure.body_force": dict(self=p.fe, force=p.u),
        "fem.Structure.rotations": dict(self=p.frame, u=at_rest),
        "fem.Structure.held": dict(self=p.fe, nodes=[0, 1], components=(0, 1)),
        "fem.Structure.of_elements": dict(self=p.fe, group=p.fe.groups[0], u=p.u),
        "fem.Structure.rigid_modes": dict(self=p.fe, about=(0, 0, 0)),
        "fem.Static.at": dict(self=p.static, name="x1"),
        "fem.Static.reaction": dict(self=p.static, name="x0", about=(0, 0, 0)),
        "fem.Stress.section_forces": dict(self=fem.stress(p.frame, at_rest), name="all"),
    }
