"""Benchmarks of shells: meshes, loads and supports of published problems; each returns computed / published."""

import numpy as np

import fem
from fem.mesh.normals import _TURNED
from support.shell_meshes import assemble, buckling, dofs, fixed, frequencies, grid, mass, solve, stiffness


def shell(E, nu, thickness, rho=1.0):
    return fem.Shell(fem.Isotropic(E=E, nu=nu, rho=rho), thickness)


def at(values, value):
    return np.isclose(values, value, atol=1e-9 * max(np.abs(values).max(), 1.0))


def spread(nodes, n, component, corners=None):
    """A force of 1 over a row of nodes of an edge, f (6 n,); those from ``corners`` on are middle nodes (Simpson)."""
    share = np.ones(len(nodes))
    share[[0, np.flatnonzero(nodes < (corners or n))[-1]]] = 0.5
    share[nodes >= (corners or n)] = 2.0
    f = np.zeros(6 * n)
    f[6 * np.asarray(nodes) + component] = share / share.sum()
    return f


def body_force(section, kind, points, elements, density):
    """Load of a force per area (3,), consistent with the displacements."""
    samples = section.samples(kind, points[elements])
    area = samples.weights / (section.material.rho * section.thickness)
    f = np.zeros(6 * len(points))
    np.add.at(f, dofs(elements), np.einsum("eq,eqxd,x->ed", area, samples.shape, density, optimize=True))
    return f


def roof(kind, n, **mesh):
    """Scordelis-Lo roof, a quarter on n x n: middle of the free edge under 90 per area, 0.3024."""
    points, elements = grid(
        kind,
        n,
        n,
        lambda s, t: (25 * np.sin(np.radians(40) * s), 25 * t, 25 * np.cos(np.radians(40) * s)),
        **mesh,
    )
    section = shell(4.32e8, 0.0, 0.25)
    f = body_force(section, kind, points, elements, [0, 0, -90.0])
    x, y, _ = points.T
    held = fixed(len(points), (at(x, 0), "xbc"), (at(y, 0), "yac"), (at(y, 25), "xz"))
    u = solve(stiffness(section, kind, points, elements), f, held)
    return -u[6 * n + 2] / 0.3024


def cylinder(kind, n, **mesh):
    """Cylinder with diaphragms pinched by 1, an eighth on n x n: under the load, 1.8248e-5."""
    points, elements = grid(
        kind, n, n, lambda s, t: (300 * np.sin(np.pi / 2 * s), 300 * t, 300 * np.cos(np.pi / 2 * s)), **mesh
    )
    x, y, z = points.T
    f = np.zeros(6 * len(points))
    f[2] = -0.25
    held = fixed(len(points), (at(x, 0), "xbc"), (at(z, 0), "zab"), (at(y, 0), "yac"), (at(y, 300), "xz"))
    u = solve(stiffness(shell(3e6, 0.3, 3.0), kind, points, elements), f, held)
    return -u[2] / 1.8248e-5


def hemisphere(kind, n, **mesh):
    """Hemisphere with an 18 degree hole, a quarter on n x n, pulled by 2 and pushed by 2: under a load, 0.0940."""

    def place(s, t):
        latitude, longitude = np.radians(72) * t, np.pi / 2 * s
        return (
            10 * np.cos(latitude) * np.cos(longitude),
            10 * np.cos(latitude) * np.sin(longitude),
            10 * np.sin(latitude),
        )

    points, elements = grid(kind, n, n, place, **mesh)
    f = np.zeros(6 * len(points))
    f[0], f[6 * n + 1] = 1.0, -1.0
    held = fixed(len(points), (at(points[:, 0], 0), "xbc"), (at(points[:, 1], 0), "yac"), (0, "z"))
    u = solve(stiffness(shell(6.825e7, 0.3, 0.04), kind, points, elements), f, held)
    return u[0] / 0.0940


#: tip deflection along the root's thin direction and along its wide one: MacNeal and Harder 1985; Simo, Fox, Rifai
#: 1989 as Abaqus Benchmarks 2.3.7 print it; Belytschko, Wong, Stolarski 1989 (5.256e-3 and 1.294e-3 for 1e-6)
TWISTED = {0.32: (5.424e-3, 1.754e-3), 0.05: (1.390, 0.3431), 0.0032: (5256.0, 1294.0)}


def twisted(kind, nx, ny, thickness, **mesh):
    """Beam of 12 x 1.1 twisted by 90 degrees, unit load on its end, in the two directions."""

    def place(s, t):
        return 12 * s, 1.1 * (t - 0.5) * np.cos(np.pi / 2 * s), 1.1 * (t - 0.5) * np.sin(np.pi / 2 * s)

    points, elements = grid(kind, nx, ny, place, **mesh)
    n = len(points)
    K = stiffness(shell(29e6, 0.22, thickness), kind, points, elements)
    tip, held = np.flatnonzero(at(points[:, 0], 12)), fixed(n, (at(points[:, 0], 0), "xyzabc"))
    loads = [spread(tip, n, c, (nx + 1) * (ny + 1)) for c in (2, 1)]
    return [f @ solve(K, f, held) / exact for f, exact in zip(loads, TWISTED[thickness], strict=True)]


def straight(kind, shape, **mesh):
    """MacNeal-Harder's beam 6 x 0.2 x 0.1 of six elements: extension, in-plane shear, out-of-plane shear."""
    points, elements = grid(kind, 6, 1, lambda s, t: (6 * s, 0.2 * t, 0 * s), **mesh)
    slopes = {  # 45 degrees
        "rectangles": [0, 0, 0, 0, 0, 0, 0],
        "parallelograms": [0, 1, 1, 1, 1, 1, 0],
        "trapezoids": [0, 1, -1, 1, -1, 1, 0],
    }
    points[:, 0] += np.interp(points[:, 0], np.arange(7), slopes[shape]) * (points[:, 1] - 0.1)
    n = len(points)
    K = stiffness(shell(1e7, 0.3, 0.1), kind, points, elements)
    tip, held = np.flatnonzero(at(points[:, 0], 6)), fixed(n, (at(points[:, 0], 0), "xyzabc"))
    loads = [spread(tip, n, c, 14) for c in (0, 1, 2)]
    return [f @ solve(K, f, held) / exact for f, exact in zip(loads, (3e-5, 0.1081, 0.4321), strict=True)]


def curved(kind, **mesh):
    """MacNeal-Harder's quarter circle, radii 4.12 and 4.32, of six elements: in-plane and out-of-plane load."""

    def place(s, t):
        r, angle = 4.12 + 0.2 * t, np.pi / 2 * s
        return r * np.sin(angle), r * np.cos(angle), 0 * s

    points, elements = grid(kind, 6, 1, place, **mesh)
    n = len(points)
    elements = elements[:, list(_TURNED[kind])]
    K = stiffness(shell(1e7, 0.25, 0.1), kind, points, elements)
    tip, held = np.flatnonzero(at(points[:, 1], 0)), fixed(n, (at(points[:, 0], 0), "xyzabc"))
    loads = [spread(tip, n, c, 14) for c in (0, 2)]
    return [f @ solve(K, f, held) / exact for f, exact in zip(loads, (0.08734, 0.5022), strict=True)]


def cook(kind, n, **mesh):
    """Cook's membrane, n x n, in its plane: middle of the free edge, 23.96."""
    points, elements = grid(kind, n, n, lambda s, t: (48 * s, 44 * s + t * (44 - 28 * s), 0 * s), **mesh)
    x = points[:, 0]
    tip = np.flatnonzero(at(x, 48))
    held = fixed(len(points), (at(x, 0), "xyc"), (np.arange(len(points)), "zab"))
    K = stiffness(shell(1.0, 1 / 3, 1.0), kind, points, elements)
    u = solve(K, spread(tip, len(points), 1, (n + 1) ** 2), held)
    return u[6 * tip[n // 2] + 1] / 23.96


def hook_line(s, radial):
    """Raasch's hook: x, y at the share s of its length (60 degrees of radius 14, 150 degrees back of 46)."""
    first = 14 * np.pi / 3 / (14 * np.pi / 3 + 46 * np.radians(150))
    a = np.radians(60 * np.minimum(s / first, 1.0))
    b = np.radians(150 * np.maximum((s - first) / (1 - first), 0.0))
    n = np.array([-0.5, np.sqrt(3) / 2])
    middle = np.array([14 - 14 * 0.5, 14 * np.sqrt(3) / 2]) + 46 * n
    v = -(46 + radial)[:, None] * n
    back = middle + np.stack(
        [v[:, 0] * np.cos(b) - v[:, 1] * np.sin(b), v[:, 0] * np.sin(b) + v[:, 1] * np.cos(b)], 1
    )
    out = np.stack([14 - (14 - radial) * np.cos(a), (14 - radial) * np.sin(a)], 1)
    return np.where((s > first)[:, None], back, out)


def hook(kind, nx, ny, **mesh):
    """Tip deflection of Raasch's hook (20 wide, 2 thick) under a load of 1 along its width."""

    def place(s, t):
        xy = hook_line(s, 0 * s)
        return xy[:, 0], xy[:, 1], 20 * t

    points, elements = grid(kind, nx, ny, place, **mesh)
    n = len(points)
    ends = hook_line(np.array([0.0, 1.0]), np.zeros(2))
    root, tip = (np.flatnonzero(at(np.abs(points[:, :2] - end).sum(1), 0)) for end in ends)
    f = spread(tip, n, 2, (nx + 1) * (ny + 1))
    return f @ solve(
        stiffness(shell(3300.0, 0.35, 2.0), kind, points, elements), f, fixed(n, (root, "xyzabc"))
    )


#: NAFEMS FV32, Hz
MEMBRANE = np.array([44.623, 130.03, 162.70, 246.05, 379.90, 391.44])


def tapered(kind, nx, ny, **mesh):
    """Six frequencies of the tapered membrane, in its plane."""
    points, elements = grid(kind, nx, ny, lambda s, t: (10 * s, (5 - 4 * s) * (t - 0.5), 0 * s), **mesh)
    section = shell(200e9, 0.3, 0.05, 8000.0)
    held = fixed(len(points), (at(points[:, 0], 0), "xyc"), (np.arange(len(points)), "zab"))
    K, M = stiffness(section, kind, points, elements), mass(section, kind, points, elements)
    return frequencies(K, M, held, 6) / MEMBRANE


def edges(points, which):
    """Conditions on a unit square: "s" hard simple support, "c" clamped, "f" free on x = 0, x = 1, y = 0, y = 1."""
    x, y, _ = points.T
    out = [(np.arange(len(points)), "xyc")]
    for on, letter, along in zip((at(x, 0), at(x, 1), at(y, 0), at(y, 1)), which, "aabb", strict=True):
        out += {"s": [(on, "z" + along)], "c": [(on, "zab")], "f": []}[letter]
    return fixed(len(points), *out)


def plate_frequencies(kind, n, thickness, which, count=4, nu=0.3, **mesh):
    """omega L^2 sqrt(rho h / D) of a unit square."""
    points, elements = grid(kind, n, n, **mesh)
    section = shell(1.0, nu, thickness)
    K, M = stiffness(section, kind, points, elements), mass(section, kind, points, elements)
    D = thickness**3 / 12 / (1 - nu**2)
    return 2 * np.pi * frequencies(K, M, edges(points, which), count) * np.sqrt(thickness / D)


def plate_deflection(kind, n, thickness, which, **mesh):
    """w D / (q L^4) in the middle of a unit square under uniform load, a quarter on n x n."""
    points, elements = grid(kind, n, n, lambda s, t: (s / 2, t / 2, 0 * s), **mesh)
    section = shell(1.0, 0.3, thickness)
    x, y, _ = points.T
    f = body_force(section, kind, points, elements, [0, 0, 1.0])
    outer = {"c": "zab", "s": "z"}[which[0]]
    held = fixed(
        len(points), (np.arange(len(points)), "xyc"), (at(x, 0.5), "b"), (at(y, 0.5), "a"),
        (at(x, 0), outer + ("a" if outer == "z" else "")), (at(y, 0), outer + ("b" if outer == "z" else "")),
    )  # fmt: skip
    u = solve(stiffness(section, kind, points, elements), f, held)
    return u[6 * np.argmax(x + y) + 2] * thickness**3 / 12 / 0.91


def plate_buckling(kind, n, stress, **mesh):
    """k = sigma h L^2 / (pi^2 D) of a simply supported unit square under "compression" or "shear"."""
    points, elements = grid(kind, n, n, **mesh)
    h = 0.01
    section = shell(1.0, 0.3, h)
    x, y, _ = points.T
    u = np.zeros((len(points), 6))
    if stress == "compression":
        u[:, 0], u[:, 1], level = -x, 0.3 * y, 1.0
    else:
        u[:, 0], u[:, 1], level = y, x, 1 / 1.3
    KG = assemble(section.geometric(kind, points[elements], u.ravel()[dofs(elements)]), elements, len(points))
    K = stiffness(section, kind, points, elements)
    return buckling(K, KG, edges(points, "ssss"))[0] * level * h / (np.pi**2 * h**3 / 12 / 0.91)


def lateral_buckling(kind, nx, ny, **mesh):
    """Load on the end at which a narrow cantilever tips over, over Timoshenko's and Gere's.

    Theory of Elastic Stability, 6.3: 4.013 sqrt(E I C) / (L (1 - sqrt(C1 / C) / L))^2; the strip's own warping
    stiffness is C1 = E h^3 d^3 / 144 (a correction of 2 %).
    """
    L, depth, h, E = 10.0, 0.5, 0.005, 1e6
    points, elements = grid(kind, nx, ny, lambda s, t: (L * s, depth * (t - 0.5), 0 * s), **mesh)
    section, n = shell(E, 0.0, h), len(points)
    K = stiffness(section, kind, points, elements)
    held = fixed(n, (at(points[:, 0], 0), "xyzabc"))
    u = solve(K, spread(np.flatnonzero(at(points[:, 0], L)), n, 1, (nx + 1) * (ny + 1)), held)
    KG = assemble(section.geometric(kind, points[elements], u[dofs(elements)]), elements, n)
    C = E / 2 * depth * h**3 / 3 * (1 - 0.63 * h / depth)
    C1 = E * h**3 * depth**3 / 144
    exact = 4.0126 * np.sqrt(E * depth * h**3 / 12 * C) / (L * (1 - np.sqrt(C1 / C) / L)) ** 2
    return buckling(K, KG, held)[0] / exact
