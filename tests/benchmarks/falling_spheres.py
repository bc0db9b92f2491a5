"""Spheres that fall into a box without losses: time of computing and error of the energy, beside MuJoCo's.

    python tests/benchmarks/falling_spheres.py [SPHERES] [PYTHON WITH MUJOCO]

The same spheres, places and walls; linear springs of 1e6 N/m between spheres and 2e6 N/m at walls (MuJoCo's contacts
are as stiff as their effective mass, so that one value gives both; ours has 1e6 N/m for all). Each program makes fixed
steps of several sizes. The error is the largest change of the whole energy (kinetic, of gravity, and of the springs)
over the largest kinetic energy, at 15 times; MuJoCo's springs are taken as if each contact were alone, which is true
where few touch at once. Seconds of processor time of the steps alone, in turn.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

RADIUS, SIDE, STIFFNESS, T_END, DENSITY = 0.02, 0.3, 1e6, 0.3, 2500.0
MASS = DENSITY * 4 / 3 * np.pi * RADIUS**3
WALLS = (
    ((0, 0, 1), 0.0),
    ((1, 0, 0), SIDE / 2),
    ((-1, 0, 0), SIDE / 2),
    ((0, 1, 0), SIDE / 2),
    ((0, -1, 0), SIDE / 2),
)
OUR_STEPS, THEIR_STEPS = (1e-4, 5e-5), (2e-4, 5e-5, 2e-5)


def places(n: int) -> np.ndarray:
    """Return the centres of the spheres, (n, 3), m: layers of a grid, slightly disturbed."""
    side, k = int(SIDE / (2.5 * RADIUS)), np.arange(n)
    grid = np.stack([k % side, (k // side) % side, k // side**2], axis=1)
    xy = (grid[:, :2] + 0.5) * (SIDE / side) - SIDE / 2
    xy += np.random.default_rng(0).uniform(-0.1 * RADIUS, 0.1 * RADIUS, (n, 2))
    return np.column_stack([xy, RADIUS * 1.2 + grid[:, 2] * 2.5 * RADIUS])


def ours(n: int, step: float) -> tuple[float, float]:
    """Return processor time (s) and error of the energy of flexbody."""
    import flexbody as fb

    inertia = (0.4 * MASS * RADIUS**2,) * 3
    bodies = [fb.RigidBody(f"b{k}", MASS, inertia, center=x) for k, x in enumerate(places(n))]
    walls = [fb.Plane(fb.GROUND, normal, point=-d * np.array(normal)) for normal, d in WALLS]
    spheres = [fb.Sphere(body, RADIUS) for body in bodies]
    touch = fb.Contacts("touch", spheres, walls, stiffness=STIFFNESS, exponent=1.0)
    machine = fb.System(bodies, forces=[touch], gravity=(0, 0, -9.81))
    method = fb.GeneralizedAlpha(rho_inf=0.9)
    result = fb.simulate(machine, T_END, step=step, output_step=0.02, integrator=method, show_progress=False)
    return result.statistics.loop_seconds, float(result.energy.balance_error)


def theirs(n: int, step: float) -> tuple[float, float]:
    """Return processor time (s) and error of the energy of MuJoCo."""
    import mujoco

    contact = f'condim="1" solref="{-2 * STIFFNESS / MASS} 0" solimp="0.9999 0.9999 0.001 0.5 2"'
    text = ""
    for normal, d in WALLS:
        at = " ".join(str(-d * x) for x in normal)
        text += f'<geom type="plane" size="1 1 1" pos="{at}" zaxis="{" ".join(map(str, normal))}" {contact}/>'
    for x in places(n):
        ball = f'<geom type="sphere" size="{RADIUS}" mass="{MASS}" {contact}/>'
        text += f'<body pos="{x[0]} {x[1]} {x[2]}"><freejoint/>{ball}</body>'
    option = f'<option timestep="{step}" gravity="0 0 -9.81"><flag energy="enable"/></option>'
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><size memory="1G"/>{option}<worldbody>{text}</worldbody></mujoco>'
    )
    data = mujoco.MjData(model)

    def energy() -> float:
        mujoco.mj_forward(model, data)
        total = float(data.energy.sum())
        if data.ncon:
            wall = (model.geom_type[data.contact.geom] == 0).any(axis=1)
            stiffness = np.where(wall, 2 * STIFFNESS, STIFFNESS)
            total += float((0.5 * stiffness * np.minimum(data.contact.dist, 0.0) ** 2).sum())
        return total

    start, worst, largest, spent = energy(), 0.0, 0.0, 0.0
    for _ in range(15):
        before = time.process_time()
        for _ in range(round(T_END / 15 / step)):
            mujoco.mj_step(model, data)
        spent += time.process_time() - before
        worst, largest = max(worst, abs(energy() - start)), max(largest, float(data.energy[1]))
    return spent, worst / largest


def main() -> None:
    """Print a table."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    peer = sys.argv[2] if len(sys.argv) > 2 else sys.executable
    print(f"{n} spheres, {T_END} s\n{'':10} {'step':>8} {'time':>8} {'error':>9}")
    for name, steps in (("flexbody", OUR_STEPS), ("MuJoCo", THEIR_STEPS)):
        for step in steps:
            if name == "flexbody":
                spent, error = ours(n, step)
            else:
                call = [peer, __file__, "--theirs", str(n), str(step)]
                done = subprocess.run(call, capture_output=True, text=True, check=True)
                spent, error = json.loads(done.stdout.splitlines()[-1])
            print(f"{name:10} {step:8.0e} {spent:8.2f} {error:9.1e}", flush=True)


if __name__ == "__main__":
    if "--theirs" in sys.argv:
        print(json.dumps(theirs(int(sys.argv[2]), float(sys.argv[3]))))
    else:
        main()
