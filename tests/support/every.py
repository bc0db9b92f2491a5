"""One list of all elements with a property each, and the same small meshes for all of them."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

import fem
from fem.mesh.generate import with_middle_nodes

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
ALONG_NOTHING = (0.3, -0.5, 0.8)  # parallel to none of the beams here


@dataclass(frozen=True)
class Case:
    """An element with a property; ``order`` of the frequency of longitudinal waves (twice that of its fields).

    ``bending``: order of the frequency of bending waves, of what has rotations.
    """

    kind: str
    property: object
    order: int
    extra: str = ""
    bending: int = 0

    @property
    def name(self):
        what = type(self.property).__name__
        return f"{self.kind}-{what}" + (f"-{self.extra}" if self.extra else "")


def cases(material=STEEL):
    """Every element with every property that it takes."""
    orders = {"tet10": 4, "hex20": 4, "hex27": 4, "wedge15": 4, "pyramid13": 4}
    found = [Case(kind, fem.Solid(material), orders.get(kind, 2)) for kind in fem.ELEMENTS]
    found.append(Case("hex8", fem.Solid(material, brick=fem.FullIntegration()), 2, "full"))
    found.append(Case("hex8", fem.Solid(material, brick=fem.MeanDilatation()), 2, "mean"))
    section = fem.Rectangle(0.02, 0.03)
    for shear, theory in ((True, "timoshenko"), (False, "euler")):
        beam = fem.Beam(material, section, up=ALONG_NOTHING, shear=shear)
        found.append(Case("line2", beam, 2, theory, bending=4))
    found += [Case("line2", fem.Truss(material, 1e-3), 2), Case("line3", fem.Truss(material, 1e-3), 4)]
    found += [Case(kind, fem.Shell(material, 0.01), 2, bending=2) for kind in ("tri3", "quad4")]
    found += [Case(kind, fem.Shell(material, 0.01), 4, bending=4) for kind in ("tri6", "quad8", "quad9")]
    return found


def eccentric(material=STEEL):
    """Shells and beams beside their nodes, one of the beams with hinges; bricks with eight points."""
    beam = fem.Beam(material, fem.Rectangle(0.02, 0.03), up=ALONG_NOTHING, offset=(0.05, -0.02))
    found = [Case(kind, fem.Shell(material, 0.01, offset=0.05), 2, "offset") for kind in fem.Shell.kinds]
    found.append(Case("line2", beam, 2, "offset"))
    found += [Case(kind, fem.Solid(material, reduced=True), 4, "reduced") for kind in ("hex20", "wedge15")]
    found.append(Case("wedge6", fem.Solid(material, reduced=True), 2, "reduced"))
    hinged = replace(beam, releases={"start": ("ry",), "end": ("rx", "rz")})
    return [*found, Case("line2", hinged, 2, "hinged")]


def faces(kind, points, quads):
    """A mesh of quadrilaterals, or of triangles in pairs, with the further nodes of the kind in the middles."""
    element = fem.elements.FACES[kind]
    if element.n_corners == 3:
        quads = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    points, cells = with_middle_nodes(points, quads, element)
    return fem.Mesh(points, (fem.Block(kind, cells),))


def straight(kind, n, length=1.0):
    """A bar along x, 0.1 m wide and deep as far as its elements are, ``n`` long; sets "x0", "x1", "all"."""
    if kind in fem.ELEMENTS:
        mesh = fem.box((length, 0.1, 0.1), (n, 1, 1), kind)
    elif kind.startswith("line"):
        x = np.linspace(0, length, n + 1)
        points = np.column_stack([x, 0 * x, 0 * x])
        nodes = np.stack([np.arange(n), np.arange(1, n + 1)], axis=1)
        if kind == "line3":
            points = np.vstack([points, 0.5 * (points[1:] + points[:-1])])
            nodes = np.column_stack([nodes, n + 1 + np.arange(n)])
        mesh = fem.Mesh(points, (fem.Block(kind, nodes),))
    else:
        x, y = np.meshgrid(np.linspace(0, length, n + 1), [0.0, 0.1], indexing="ij")
        points = np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()])
        quads = 2 * np.arange(n)[:, None] + np.array([0, 2, 3, 1])
        mesh = faces(kind, points, quads)
    sets = {
        "x0": np.flatnonzero(mesh.points[:, 0] == 0),
        "x1": np.flatnonzero(np.isclose(mesh.points[:, 0], length)),
        "all": np.arange(mesh.n_nodes),
    }
    return replace(mesh, node_sets=sets)


def bent(kind):
    """Irregular elements in a general place: a distorted box, a tetrahedron of bars, a warped roof."""
    turn = Rotation.from_rotvec([0.4, -0.7, 0.5]).as_matrix()
    if kind in fem.ELEMENTS:
        mesh = fem.box((0.4, 0.3, 0.2), (2, 2, 2), kind)
        x, y, z = mesh.points.T
        # bilinear: straight edges stay straight, middle nodes in the middle
        points = mesh.points + 0.4 * np.column_stack([x * y + y * z, y * z - z * x, x * y])
    elif kind.startswith("line"):
        points = np.array([[0, 0, 0], [1, 0.1, 0], [0.3, 0.9, 0.2], [0.4, 0.3, 0.8]], float)
        a, b = np.array([(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]).T
        nodes = np.stack([a, b], axis=1)
        if kind == "line3":
            points = np.vstack([points, 0.5 * (points[a] + points[b])])
            nodes = np.column_stack([nodes, 4 + np.arange(6)])
        mesh = fem.Mesh(points, (fem.Block(kind, nodes),))
    else:
        x, y = np.meshgrid([0, 0.35, 0.6, 1.0], [0, 0.3, 0.7], indexing="ij")
        x, y = (x + 0.2 * x * y).ravel(), (y - 0.15 * x * y).ravel()
        quads = (3 * np.arange(3)[:, None] + np.arange(2)).reshape(-1, 1) + np.array([0, 3, 4, 1])
        mesh = faces(kind, np.column_stack([x, y, 0 * x]), quads)
        x, y, _ = mesh.points.T
        points = np.column_stack([x, y, 0.25 * x - 0.3 * x**2 + 0.2 * x * y])
    return replace(mesh, points=points @ turn.T + np.array([0.3, -0.2, 0.1]), node_sets={})
