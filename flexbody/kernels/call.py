"""Calling a user's law through its address: one fixed signature, so that a new law recompiles nothing; pointers."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def call_law(typingctx, address, t, out):
    """Call ``void law(double t, double out[3])`` at ``address``; ``out`` is a float64 array with at least 3 items."""

    def generate(context, builder, signature, arguments):
        pointer, time, array = arguments
        data = context.make_array(signature.args[2])(context, builder, value=array).data
        double = ir.DoubleType()
        kind = ir.FunctionType(ir.VoidType(), [double, double.as_pointer()])
        function = builder.inttoptr(pointer, kind.as_pointer())
        builder.call(function, [time, builder.bitcast(data, double.as_pointer())])
        return context.get_dummy_value()

    return types.void(types.int64, types.float64, out), generate


@intrinsic
def pointer(typingctx, address):
    """Return the pointer to doubles at ``address``."""

    def generate(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], ir.DoubleType().as_pointer())

    return types.CPointer(types.float64)(types.int64), generate


@intrinsic
def call_force_law(typingctx, address, t, u, x, rate, z, p, out):
    """Call ``void law(double t, double *u, *x, *rate, *z, *p, *out)`` at ``address``; arrays of float64.

    See :mod:`flexbody.kernels.laws`.
    """

    def generate(context, builder, signature, arguments):
        double = ir.DoubleType()
        data = [
            builder.bitcast(context.make_array(kind)(context, builder, value=value).data, double.as_pointer())
            for kind, value in zip(signature.args[2:], arguments[2:], strict=True)
        ]
        kind = ir.FunctionType(ir.VoidType(), [double] + [double.as_pointer()] * 6)
        builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), [arguments[1], *data])
        return context.get_dummy_value()

    return types.void(types.int64, types.float64, u, x, rate, z, p, out), generate
