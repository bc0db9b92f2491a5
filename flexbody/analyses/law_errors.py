"""Errors of users' laws: raised in the compiled loop, or found where a load is not finite."""

from __future__ import annotations

from fem.common.errors import InputError

from ..compile.force_elements import element_complaint
from ..compile.plan import Plan
from ..core.structures import Work


def raise_law_errors(plan: Plan) -> None:
    """Raise an error or interrupt that a user's law has raised in the compiled loop."""
    if not plan.laws and not plan.elements.pointers:
        return
    for law in plan.laws:
        if isinstance(law.error, KeyboardInterrupt):
            raise KeyboardInterrupt
        if law.error is not None:
            complaint = law.complaint()
            assert complaint is not None
            raise complaint from law.error
    for pointer in plan.elements.pointers:
        if pointer.error is not None:
            raise pointer.error
    watched = [(law.what, law.captured) for law in plan.laws]
    watched += [(pointer.what, pointer.captured) for pointer in plan.elements.pointers]
    for what, captured in watched:
        if change := captured.change():
            raise InputError(
                f"{what}: its function reads {change}; a function that is recorded takes numbers once. Let it "
                "read them from a list or an object, or give an fb.Input to a Stepper"
            )


def law_complaint(plan: Plan, t: float) -> InputError | None:
    """Return the error of a function that fails or is not finite at time ``t`` (s), or None."""
    return next((found for law in plan.laws if (found := law.complaint(t)) is not None), None)


def not_finite(plan: Plan, W: Work, t: float) -> InputError:
    """Return the error of a load that is not finite at time ``t``."""
    raise_law_errors(plan)
    found = law_complaint(plan, t) or element_complaint(plan, W, 0.0)
    return found or InputError(
        f"the loads at t = {t:.6g} s are not finite; is a spring of zero length among them?"
    )
