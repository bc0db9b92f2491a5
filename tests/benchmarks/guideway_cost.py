"""Cost of a step of a machine with a guideway, over that with a prismatic joint at a station of the line.

A beam turns about its end, rigid or flexible with geometric stiffening (10 base functions), and carries a body at half
its length. Both machines are run in turn; the medians of the time in the compiled loop are compared.
"""

import warnings

import numpy as np

import fem
import flexbody as fb
import modal

STATIONS = [f"s{k}" for k in range(17)]
POINTS = np.stack([np.linspace(0, 1, 17), np.zeros(17), np.zeros(17)], axis=1)
SPIN = {"velocity": (0, 2.0, 0), "angular_velocity": (0, 0, 4.0)}


def reduced() -> modal.ReducedBody:
    """Return the reduced beam."""
    cells = np.stack([np.arange(16), np.arange(1, 17)], axis=1)
    sets = {name: [k] for k, name in enumerate(STATIONS)}
    mesh = fem.Mesh(POINTS, (fem.Block("line2", cells),), sets, name="beam")
    fe = fem.assemble(mesh, fem.Beam(fem.Isotropic(E=70e9, nu=0.3, rho=2700.0), fem.Rectangle(0.04, 0.02)))
    return modal.reduce(fe, modal.craig_bampton(fe, ("s0", "s16"), n_normal=4), markers=STATIONS)


def machine(beam: fb.RigidBody | fb.FlexibleBody, guideway: bool) -> fb.System:
    """Return the machine with a guideway or a prismatic joint."""
    hub = fb.Revolute("hub", fb.GROUND, beam["s0"], axis="z")
    body = fb.RigidBody("body", 0.2, (1e-3, 1e-3, 1e-3), center=(0.5, 0, 0), **SPIN)
    rail = (
        fb.MuffOnGuideway("rail", beam, body, stations=STATIONS, point=(0.5, 0, 0))
        if guideway
        else fb.Prismatic("rail", beam["s8"], body, axis="x")
    )
    return fb.System([beam, body], [hub, rail], gravity=(0, 0, -9.81))


def main() -> None:
    """Print the costs of a step and their ratio."""
    warnings.simplefilter("ignore")
    bodies = {
        "rigid": fb.RigidBody(
            "beam",
            2.0,
            (0.01, 0.2, 0.2),
            center=(0.5, 0, 0),
            markers=dict(zip(STATIONS, POINTS, strict=True)),
            **SPIN,
        ),
        "flexible": fb.FlexibleBody("beam", reduced(), place={"s0": (0, 0, 0), "s16": (1, 0, 0)}, **SPIN),
    }
    print(f"{'beam':10} {'method':18} {'prismatic, us':>14} {'guideway, us':>14} {'ratio':>6}")
    for name, beam in bodies.items():
        for method in (fb.GeneralizedAlpha(), fb.Explicit()):
            options = {"step": 1e-4} if isinstance(method, fb.GeneralizedAlpha) else {}
            cost: dict[bool, list[float]] = {False: [], True: []}
            for _ in range(5):
                for guideway in (False, True):
                    run = fb.simulate(
                        machine(beam, guideway),
                        0.15,
                        integrator=method,
                        output_step=0.05,
                        show_progress=False,
                        **options,
                    ).statistics
                    cost[guideway].append(1e6 * run.loop_seconds / run.steps)
            one, other = (float(np.median(cost[guideway])) for guideway in (False, True))
            print(f"{name:10} {type(method).__name__:18} {one:14.2f} {other:14.2f} {other / one:6.2f}")


if __name__ == "__main__":
    main()
