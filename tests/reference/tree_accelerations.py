"""Accelerations and torques of random trees of rigid bodies on revolutes, as pinocchio and MuJoCo compute them.

The numbers are in ``tree_accelerations.json``. This script made them, in an environment with ``pin`` and ``mujoco``:

    python tests/reference/tree_accelerations.py

Each tree holds the numbers of :class:`support.random_trees.RandomTree`, angles ``q`` and speeds ``v`` of its joints,
``accelerations`` without torques (``pinocchio``: its articulated-body algorithm; ``mujoco``: ``qacc`` of
``mj_forward``), and the ``torques`` for the accelerations ``given`` (its recursive Newton-Euler algorithm).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_suffix(".json")
SIZES = (2, 7, 12)


def stored() -> list[dict]:
    """Return the trees with their numbers as arrays."""
    trees = json.loads(FILE.read_text(encoding="utf-8"))["trees"]
    return [{name: np.array(value) for name, value in tree.items()} for tree in trees]


def pinocchio_numbers(tree, q: np.ndarray, v: np.ndarray, given: np.ndarray) -> dict[str, np.ndarray]:
    """Return accelerations and torques by pinocchio."""
    import pinocchio as pin

    model = pin.Model()
    number: list[int] = []
    for k, parent in enumerate(tree.parent):
        at = pin.SE3(np.eye(3), tree.offset[k])
        joint = pin.JointModelRevoluteUnaligned(*tree.axis[k])
        number.append(model.addJoint(0 if parent < 0 else number[parent], joint, at, f"j{k}"))
        inertia = pin.Inertia(tree.mass[k], tree.center[k] - tree.point[k], tree.inertia[k])
        model.appendBodyToJoint(number[k], inertia, pin.SE3.Identity())
    data, order = model.createData(), [model.joints[j].idx_v for j in number]
    assert order == sorted(order)
    return {
        "pinocchio": pin.aba(model, data, q, v, np.zeros(len(q))).copy(),
        "torques": pin.rnea(model, data, q, v, given).copy(),
    }


def mujoco_numbers(tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return accelerations by MuJoCo, in our order of the joints."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(tree.mujoco())
    data = mujoco.MjData(model)
    order = [model.joint(f"j{k}").dofadr[0] for k in range(len(q))]
    data.qpos[order], data.qvel[order] = q, v
    mujoco.mj_forward(model, data)
    return data.qacc[order].copy()


def main() -> None:
    """Write the file."""
    sys.path.insert(0, str(FILE.parents[1]))
    import mujoco
    import pinocchio
    from support.random_trees import random_tree

    trees = []
    for n in SIZES:
        rng = np.random.default_rng(n)
        tree = random_tree(rng, n)
        q, v, given = rng.uniform(-2, 2, n), rng.uniform(-3, 3, n), rng.uniform(-10, 10, n)
        numbers = {name: getattr(tree, name) for name in tree.__dataclass_fields__} | {
            "q": q,
            "v": v,
            "given": given,
        }
        numbers |= pinocchio_numbers(tree, q, v, given)
        numbers["mujoco"] = mujoco_numbers(tree, q, v)
        print(n, np.abs(numbers["mujoco"] / numbers["pinocchio"] - 1).max())
        trees.append({name: np.asarray(value).tolist() for name, value in numbers.items()})
    made = {"pinocchio": pinocchio.__version__, "mujoco": mujoco.__version__}
    FILE.write_text(json.dumps({"made_by": made, "trees": trees}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
