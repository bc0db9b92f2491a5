"""Recorded functions and their exact derivatives.

A user's function is recorded once as a tape of elementary operations (:mod:`flexbody.tapes`): rows (operation,
first argument, second argument), arguments being earlier rows. Forward differentiation runs along the tape: values
with gradients, or with first and second derivatives along a path (A. Griewank, A. Walther, Evaluating Derivatives,
2nd ed., SIAM 2008, chapters 3 and 13).
"""

import math

import numpy as np

from fem.common.jit import inner, jit

#: operations; the first two have a constant and the number of an input in place of arguments
CONSTANT, INPUT, ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, ARCTAN2 = range(8)
NEGATIVE, ABSOLUTE, SQRT, EXP, LOG, SIN, COS, TAN, ARCSIN, ARCCOS, ARCTAN, SINH, COSH, TANH = range(8, 22)


@inner
def binary(op, x, y):
    """Return f(x, y) and its derivatives f, fx, fy, fxx, fxy, fyy."""
    if op == ADD:
        return x + y, 1.0, 1.0, 0.0, 0.0, 0.0
    if op == SUBTRACT:
        return x - y, 1.0, -1.0, 0.0, 0.0, 0.0
    if op == MULTIPLY:
        return x * y, y, x, 0.0, 1.0, 0.0
    if op == DIVIDE:
        f = x / y
        return f, 1.0 / y, -f / y, 0.0, -1.0 / (y * y), 2.0 * f / (y * y)
    if op == ARCTAN2:
        n = x * x + y * y
        fx, fy = y / n, -x / n
        return (
            math.atan2(x, y),
            fx,
            fy,
            -2.0 * x * y / (n * n),
            (x * x - y * y) / (n * n),
            2.0 * x * y / (n * n),
        )
    f = x**y
    fx = y * x ** (y - 1.0) if y != 0.0 else 0.0
    fxx = y * (y - 1.0) * x ** (y - 2.0) if y != 0.0 and y != 1.0 else 0.0
    if not x > 0.0:  # a constant exponent: nothing depends on it
        return f, fx, 0.0, fxx, 0.0, 0.0
    log = math.log(x)
    return f, fx, f * log, fxx, fx * log + f / x, f * log * log


@inner
def unary(op, x):
    """Return f(x) and its first and second derivative."""
    if op == NEGATIVE:
        return -x, -1.0, 0.0
    if op == ABSOLUTE:
        return abs(x), math.copysign(1.0, x), 0.0
    if op == SQRT:
        f = math.sqrt(x)
        return f, 0.5 / f, -0.25 / (f * x)
    if op == EXP:
        f = math.exp(x)
        return f, f, f
    if op == LOG:
        return math.log(x), 1.0 / x, -1.0 / (x * x)
    if op == SIN:
        return math.sin(x), math.cos(x), -math.sin(x)
    if op == COS:
        return math.cos(x), -math.sin(x), -math.cos(x)
    if op == TAN:
        f = math.tan(x)
        return f, 1.0 + f * f, 2.0 * f * (1.0 + f * f)
    if op in (ARCSIN, ARCCOS):
        sign, f = (1.0, math.asin(x)) if op == ARCSIN else (-1.0, math.acos(x))
        root = math.sqrt(1.0 - x * x)
        return f, sign / root, sign * x / (root * root * root)
    if op == ARCTAN:
        n = 1.0 + x * x
        return math.atan(x), 1.0 / n, -2.0 * x / (n * n)
    if op == SINH:
        return math.sinh(x), math.cosh(x), math.sinh(x)
    if op == COSH:
        return math.cosh(x), math.sinh(x), math.cosh(x)
    f = math.tanh(x)
    return f, 1.0 - f * f, -2.0 * f * (1.0 - f * f)


@jit
def gradient(tape, constants, x, seeds, out):
    """Return the value of the tape's last row at the inputs ``x`` (n,); ``out`` (m,) = its gradient.

    ``seeds`` (n, m) are the derivatives of the inputs by what the gradient is taken by.
    """
    size, m = tape.shape[0], out.size
    f, g = np.empty(size), np.zeros((size, m))
    for k in range(size):
        op, a, b = tape[k, 0], tape[k, 1], tape[k, 2]
        if op == CONSTANT:
            f[k] = constants[k]
        elif op == INPUT:
            f[k] = x[a]
            g[k] = seeds[a]
        elif op <= ARCTAN2:
            f[k], fx, fy, _, _, _ = binary(op, f[a], f[b])
            for i in range(m):
                g[k, i] = fx * g[a, i] + fy * g[b, i]
        else:
            f[k], fx, _ = unary(op, f[a])
            for i in range(m):
                g[k, i] = fx * g[a, i]
    out[:] = g[size - 1]
    return f[size - 1]


@jit
def along(tape, constants, x, first, second):
    """Return value, first and second derivative of the tape's last row along a path.

    x, first, second : (n,) the inputs, and their derivatives by the path's parameter.
    """
    size = tape.shape[0]
    f, d, e = np.empty(size), np.zeros(size), np.zeros(size)
    for k in range(size):
        op, a, b = tape[k, 0], tape[k, 1], tape[k, 2]
        if op == CONSTANT:
            f[k] = constants[k]
        elif op == INPUT:
            f[k], d[k], e[k] = x[a], first[a], second[a]
        elif op <= ARCTAN2:
            f[k], fx, fy, fxx, fxy, fyy = binary(op, f[a], f[b])
            d[k] = fx * d[a] + fy * d[b]
            e[k] = fx * e[a] + fy * e[b] + fxx * d[a] * d[a] + 2.0 * fxy * d[a] * d[b] + fyy * d[b] * d[b]
        else:
            f[k], fx, fxx = unary(op, f[a])
            d[k] = fx * d[a]
            e[k] = fx * e[a] + fxx * d[a] * d[a]
    return f[size - 1], d[size - 1], e[size - 1]
