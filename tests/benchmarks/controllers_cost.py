"""What controllers cost: a step with PD controllers beside springs of the same stiffness, and a sample.

Run it as a script; it prints a table. Times are medians of processor time.
"""

import time

import numpy as np

import flexbody as fb

REPEATS = 5


def chain(forces) -> fb.System:
    """A chain of ten links under gravity; ``forces`` makes an element for a joint."""
    bodies = [fb.RigidBody(f"b{i}", 1.0, (1e-3,) * 3, center=(0.2 * i + 0.1, 0, 0)) for i in range(10)]
    joints = [
        fb.Revolute(f"j{i}", bodies[i - 1] if i else fb.GROUND, bodies[i], point=(0.2 * i, 0, 0), axis="y")
        for i in range(10)
    ]
    made = [forces(joint) for joint in joints]
    return fb.System(bodies, joints, [one for one in made if one is not None], gravity=(0, 0, -9.81))


def spring(joint):
    """Return a spring and damper."""
    return fb.ForceElement(f"at {joint.name}", fb.Along(joint), fb.Linear(100.0, 5.0))


def pd(joint):
    """Return a controller that does the same."""
    return fb.Controller(f"at {joint.name}", fb.Along(joint), fb.PID(100.0, kd=5.0), acts_on=fb.Along(joint))


def sampled(joint):
    """Return a sampled controller at the first joint."""
    if joint.name != "j0":
        return None
    return fb.Controller("sampled", fb.Along(joint), fb.PID(1.0), acts_on=fb.Along(joint), period=1e-3)


def cost(machine: fb.System) -> tuple[float, int]:
    """Return the time of a run (s) with fixed steps of a millisecond, and the steps."""
    times = []
    for _ in range(REPEATS):
        begun = time.process_time()
        result = fb.simulate(machine, 0.5, step=1e-3, output_step=0.5, show_progress=False)
        times.append(time.process_time() - begun)
    return float(np.median(times)), result.statistics.steps


def main() -> None:
    """Print the costs."""
    plain, steps = cost(chain(lambda joint: None))
    for name, forces in (
        ("nothing", lambda joint: None),
        ("springs", spring),
        ("PD", pd),
        ("one sampled", sampled),
    ):
        seconds, steps = cost(chain(forces))
        print(
            f"{name:12} {1e6 * seconds / steps:8.1f} us a step, {1e6 * (seconds - plain) / steps:8.1f} more"
        )


if __name__ == "__main__":
    main()
