"""States of force laws in the generalized-alpha method: first-order equations with the mechanical ones."""

from __future__ import annotations

import numpy as np

from fem.common.compiled import function

_first_order = function("flexbody_first_order", "real", "reals")


def first_order(alpha_f: float) -> tuple[float, float, float]:
    """Return the coefficients (delta_m, delta_f, theta) for ``z' = f`` with the same spectral radius at infinity.

    K. E. Jansen, C. H. Whiting, G. M. Hulbert, Comput. Methods Appl. Mech. Eng. 190 (2000) 305; with states of
    controllers in mechanical systems O. Bruels, M. Arnold, J. Comput. Nonlinear Dyn. 3 (2008) 041007.
    """
    out = np.empty(3)
    _first_order(alpha_f, out)
    delta_m, delta_f, theta = out.tolist()
    return delta_m, delta_f, theta
