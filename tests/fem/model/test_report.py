"""What a mesh says of itself, and the structure that it describes alone."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

import fem
from fem.io.raw import RawMesh, build
from fem.io.units import units_of

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
BAR = fem.box((1.0, 0.1, 0.1), (4, 1, 1), "hex8")


def raw(**more):
    """A bar of steel in mm with a node 1000 beside it, as a reader gives it."""
    points = np.vstack([BAR.points, [[1.2, 0.05, 0.05]], [[9.0, 9.0, 9.0]]]) * 1e3
    ids = np.append(np.arange(101, 101 + BAR.n_nodes), [1000, 2000])
    content = RawMesh(points, list(BAR.blocks), node_ids=ids, node_sets=dict(BAR.node_sets))
    content.element_sets["part 1"] = np.arange(BAR.n_elements)
    content.materials["1"] = content.properties["part 1"] = STEEL
    for name, value in more.items():
        setattr(content, name, value)
    return content


def mesh_of(tmp_path, content, units="mm"):
    return build(content, tmp_path / "bar.xyz", units)


def test_a_mesh_alone_becomes_the_structure_that_its_file_describes(tmp_path):
    """Properties and parts as a user gives them: stiffness and mass are the same numbers."""
    parts = [fem.Rigid("RBE2 7", "x1", reference="1000"), fem.PointMass("1000", 2.0)]
    mesh = mesh_of(tmp_path, raw(parts=parts))
    by_hand = fem.assemble(
        BAR, STEEL, parts=[fem.Rigid("tip", "x1", at=(1.2, 0.05, 0.05)), fem.PointMass("tip", 2.0)]
    )
    alone = fem.assemble(mesh)
    assert abs(alone.K - by_hand.K).max() <= 1e-12 * abs(by_hand.K).max()
    assert abs(alone.M - by_hand.M).max() <= 1e-12 * abs(by_hand.M).max()
    assert fem.interface(alone, "1000").point == pytest.approx([1.2, 0.05, 0.05])
    held = replace(mesh, parts=())
    assert fem.assemble(fem.drop_unattached(held)).mass == pytest.approx(78.5)
    assert fem.drop_unattached(mesh).n_nodes == mesh.n_nodes


def test_a_dictionary_leaves_the_rest_to_the_file(tmp_path):
    content = raw(parts=[fem.PointMass("x1", 2.0)])
    content.element_sets |= {"left": np.array([0, 1]), "part 1": np.array([2, 3])}
    light = fem.Isotropic(E=70e9, nu=0.3, rho=2700.0)
    mesh = mesh_of(tmp_path, content)
    assert fem.assemble(mesh, {"left": light}).mass == pytest.approx(0.005 * (7850 + 2700) + 2.0)


def test_numbers_of_the_file_are_names_of_nodes(tmp_path):
    mesh = mesh_of(tmp_path, raw(parts=[fem.Rigid("r", "x1", reference="1000")]))
    assert mesh.n_nodes == BAR.n_nodes + 1
    assert mesh.nodes_of("1000").tolist() == [BAR.n_nodes]
    assert mesh.nodes_of("103").tolist() == [2]
    for wrong in ("2000", "3"):
        with pytest.raises(fem.MeshError, match=f"no node set '{wrong}'"):
            mesh.nodes_of(wrong)
    twice = replace(mesh, node_ids=np.full(mesh.n_nodes, 5))
    with pytest.raises(fem.MeshError, match=f"{mesh.n_nodes} nodes have this number"):
        twice.nodes_of("5")
    with pytest.raises(fem.MeshError, match="node_ids="):
        replace(mesh, node_ids=np.arange(3))
    with pytest.raises(fem.FileError, match=r"'r'.*no node or node set '77'"):
        mesh_of(tmp_path, raw(parts=[fem.Rigid("r", "x1", reference="77")]))


def test_the_report_names_all_that_was_read_and_left_out(tmp_path):
    content = raw(
        parts=[
            fem.Rigid("RBE2 7", "x1", reference="1000"),
            fem.Spring("1000", None, (1e6, 0, 0, 0, 0, 0)),
            fem.PointMass("1000", 2.0, inertia=(1.0, 1.0, 1.0)),
        ],
        supports={"x0": ("x", "y", "z")},
        systems={"3": fem.CylindricalSystem((100.0, 0.0, 0.0))},
        doubts=["material '9' has no density"],
    )
    for line in (4, 8, 9, 10, 11, 12):
        content.left_out.add("FORCE", "loads are given to fem.static", str(line))
    with pytest.warns(fem.FlexbodyWarning, match="no density"):
        words = mesh_of(tmp_path, content).report()
    for expected in (
        "nodes 101 to 1000, elements 1 to 4",
        "'part 1' (4): Solid, material '1'",
        "rigid connection 'RBE2 7': 'x1' follows node '1000'",
        "spring from '1000' to the ground: 1e+06, 0, 0, 0, 0, 0 N/m, N m/rad",
        "point mass at '1000': 2 kg, with moments of inertia",
        "'1000', of 'RBE2 7'",
        "'x0': x y z",
        "'3': cylindrical, origin (0.1, 0, 0) m, z along (0, 0, 1)",
        "6 FORCE, lines 4, 8, 9, 10, 11, ...: loads are given to fem.static",
        "1 node: no element or connection uses it: 2000",
        "likely wrong  material '9' has no density",
    ):
        assert expected in words


def test_the_report_names_what_assembly_refuses(tmp_path):
    apart = fem.Mesh(
        np.vstack([BAR.points, BAR.points + 5.0]),
        (*BAR.blocks, fem.Block("hex8", BAR.blocks[0].nodes + BAR.n_nodes)),
    )
    assert "2 loose parts" in apart.report()


@pytest.mark.parametrize(
    ("units", "material", "expected"),
    [
        (
            "SI",
            (210e3, 7.85e-9),
            "density of 7.85e-09 kg/m\\^3; units='mm' would be right: it is then 1.01 m",
        ),
        ("SI", (210.0, 7.85e-6), "'mm-kg' would be right"),
        ("mm", (210e9, 7850.0), "'SI' would be right: it is then 1010 m"),
    ],
)
def test_units_that_fit_are_named(tmp_path, units, material, expected):
    """Steel in N, mm, t; in kN, mm, kg; in SI, read in the units of another program."""
    E, rho = material
    scale = units_of(units)
    steel = fem.Isotropic(E * scale.modulus, 0.3, rho * scale.density)
    with pytest.warns(fem.FlexbodyWarning, match=expected):
        mesh_of(tmp_path, raw(materials={"1": steel}), units)


def test_a_long_mesh_without_a_material_is_suspected(tmp_path):
    with pytest.warns(
        fem.FlexbodyWarning, match="1010 m long; units='mm' would be right: it is then 1.01 m long"
    ):
        mesh_of(tmp_path, raw(materials={}, properties={}), "SI")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mesh_of(tmp_path, raw(materials={"1": fem.Isotropic(1e6, 0.49, 900.0)}))  # rubber


@pytest.mark.parametrize("kind", [fem.CoordinateSystem, fem.CylindricalSystem, fem.SphericalSystem])
def test_coordinate_systems(kind):
    """Directions are the derivatives of the points by the coordinates."""
    turned = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    turned *= np.linalg.det(turned)
    system = kind((1.0, 2.0, 3.0), turned)
    at, step = np.array([2.0, 40.0, 70.0]), 1e-6
    point = system.points([at])[0]
    change = np.array([(system.points([at + step * e])[0] - point) / step for e in np.eye(3)])
    change /= np.linalg.norm(change, axis=1, keepdims=True)
    assert system.axes_at(point) == pytest.approx(change, abs=1e-6)
    assert system.axes_at(point) @ system.axes_at(point).T == pytest.approx(np.eye(3), abs=1e-12)


def test_wrong_coordinate_systems():
    with pytest.raises(fem.InputError, match=r"origin= .* not 'cylindrical'"):
        fem.CoordinateSystem("cylindrical")
    with pytest.raises(fem.InputError, match="right-handed"):
        fem.CoordinateSystem(axes=-np.eye(3))


@pytest.mark.parametrize(("size", "properties", "sign"), [
    ((152.0, 20.0, 10.0), STEEL, "it is 154 m long and weighs 2.39e+05 t"),  # 7850 kg/m^3 x 30400 m^3
    ((0.4, 0.3, 0.01), fem.Isotropic(E=210e3, nu=0.3, rho=7.85e-9), "a density of 7.85e-09 looks like t/mm^3"),
    ((1.0, 0.1, 0.1), STEEL, None),
])  # fmt: skip
def test_the_report_tells_the_units_that_the_assembly_doubts(size, properties, sign):
    mesh = replace(
        fem.box(size, (4, 1, 1), "hex8"), properties={"all": properties}, element_sets={"all": range(4)}
    )
    said = mesh.report().partition("likely wrong")[2]
    assert ("units look wrong" in said) == (sign is not None)
    if sign:
        assert sign in said
        with pytest.warns(fem.FlexbodyWarning, match=f"units look wrong: .*{re.escape(sign)}"):
            fem.assemble(mesh)


def test_many_parts_of_one_class_have_one_line():
    """Their number and the first of them; few have a line each."""
    terms = [[(str(k), "z", 1.0), (str(k + 1), "z", -1.0)] for k in range(1, 21)]
    parts = [fem.Equation(f"equation {k}", term) for k, term in enumerate(terms)]
    rows = replace(BAR, parts=(*parts, fem.PointMass("x1", 2.0))).report().splitlines()
    (line,) = (row for row in rows if "equation" in row)
    assert (
        line.split("parts ")[1].strip().startswith("20 equations, such as equation 'equation 0': +1 z of 1")
    )
    assert any("point mass at 'x1': 2 kg" in row for row in rows)
    few = replace(BAR, parts=tuple(parts[:3])).report()
    assert few.count("equation 'equation") == 3
