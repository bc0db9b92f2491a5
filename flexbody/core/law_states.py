"""States of force laws in the generalized-alpha method: equations of first order beside the mechanical ones."""

from __future__ import annotations

import numpy as np

from fem.common.compiled import function

_first_order = function("flexbody_first_order", "real", "reals")


def first_order(alpha_f: float) -> tuple[float, float, float]:
    """Coefficients (delta_m, delta_f, theta) of the method for ``z. = f`` with the same spectral radius at infinity.

    K. E. Jansen, C. H. Whiting, G. M. Hulbert, Comput. Methods Appl. Mech. Eng. 190 (2000) 305; with states of
    controllers beside mechanics O. Bruels, M. Arnold, J. Comput. Nonlinear Dyn. 3 (2008) 041007.
    """
    out = np.empty(3)
    _first_order(alpha_f, out)
    delta_m, delta_f, theta = out.tolist()
    return delta_m, delta_f, theta
