"""The stiffness of a shell's section: plane stress and transverse shear of a material in the elements' axes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...properties.material import stress_rotation
from .geometry import Array

_SHEAR_FACTOR = 5 / 6  # Reissner 1945, parabolic shear over the thickness


class Laws(NamedTuple):
    """Stiffnesses of a section in the elements' axes.

    ``A`` (ne, 3, 3) membrane, N/m; ``D`` (ne, 3, 3) bending, Nm; ``S`` (ne, 2, 2) transverse shear, N/m;
    ``thinning`` (ne, 3): eps_33 from eps_11, eps_22, gamma_12.
    """

    A: Array
    D: Array
    S: Array
    thinning: Array


def plane_stress(material: Any) -> tuple[Array, Array, Array]:
    """Return (C (3, 3), shear (2, 2) 13 23, thinning (3,)) in the material's own axes, Pa, for sigma_33 = 0."""
    full = np.asarray(material.stiffness, float)  # global, xx yy zz yz xz xy
    if hasattr(material, "axes"):
        T = stress_rotation(_directions(material))
        full = T @ full @ T.T
    across = full[[0, 1, 5], 2]
    C = full[np.ix_([0, 1, 5], [0, 1, 5])] - np.outer(across, across) / full[2, 2]
    return C, full[np.ix_([4, 3], [4, 3])], -across / full[2, 2]


def _directions(material: Any) -> Array:
    """Return the unit vectors (3, 3) along the material's axes, as rows."""
    axes = np.asarray(material.axes, float)
    return axes / np.linalg.norm(axes, axis=1, keepdims=True)


def first_axis(material: Any) -> Array | None:
    """Return the unit vector (3,) whose projection on a shell is the material's axis 1; None if isotropic."""
    return _directions(material)[0] if hasattr(material, "axes") else None


def laws(material: Any, thickness: float, frame: Array) -> Laws:
    """Return the section's stiffnesses in the element axes ``frame`` (ne, 3, 3).

    The material's axis 1 is projected on the shell; its axis 3 is the shell's normal.
    """
    C, G, thinning = plane_stress(material)
    ne, first = len(frame), first_axis(material)
    if first is None:
        C, G, thinning = (np.broadcast_to(a, (ne, *a.shape)) for a in (C, G, thinning))
    else:
        along = frame[:, :2] @ first
        c, s = (along / np.linalg.norm(along, axis=1, keepdims=True)).T
        # strains in the material's axes from those in the element's
        R = np.array([[c * c, s * s, c * s], [s * s, c * c, -c * s], [-2 * c * s, 2 * c * s, c * c - s * s]])
        r = np.moveaxis(np.array([[c, s], [-s, c]]), -1, 0)
        R = np.moveaxis(R, -1, 0)
        C, G, thinning = np.swapaxes(R, 1, 2) @ C @ R, np.swapaxes(r, 1, 2) @ G @ r, thinning @ R
    h = thickness
    return Laws(h * C, h**3 / 12 * C, _SHEAR_FACTOR * h * G, thinning)
