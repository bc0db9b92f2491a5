"""What may carry each body: what lies behind its bearings."""

import flexbody as fb
from flexbody.compile.plan import make_plan

SOFT = (1e4, 1e4, 1e4, 0, 0, 0)


def bodies_at(**places):
    """Return bodies of 1 kg by their names, and places along x."""
    return [fb.RigidBody(name, 1.0, (0.1,) * 3, center=(x, 0, 0)) for name, x in places.items()]


def carriers(machine, body):
    """Return the names of the bodies that may carry a body."""
    L, names = make_plan(machine).layout, [b.name for b in machine.bodies]
    b = names.index(body)
    ground, *others = L.carrier[L.carrier_at[b] : L.carrier_at[b + 1]]
    assert ground == -1
    return [names[k] for k in others]


def test_what_is_on_the_other_side_of_a_bushing_carries_a_rotor():
    slide, rotor, lid = bodies_at(slide=0.0, rotor=0.5, lid=1.0)
    rail = fb.Prismatic("rail", fb.GROUND, slide, point=(0, 0, 0), axis="x")
    hinge = fb.Revolute("hinge", slide, lid, point=(1, 0, 0), axis="x")
    bearing = fb.Bushing("bearing", slide, rotor, point=(0.5, 0, 0), stiffness=SOFT)
    machine = fb.System([lid, slide, rotor], [rail, hinge], [bearing])
    assert carriers(machine, "rotor") == ["slide", "lid"]


def test_what_is_behind_the_mounts_carries_a_rotor_in_a_housing():
    """The housing does not: it moves with the axis."""
    car, housing, rotor = bodies_at(car=0.0, housing=0.5, rotor=0.5)
    axle = fb.Revolute("axle", housing, rotor, point=(0.5, 0, 0), axis="x")
    mount = fb.Bushing("mount", car, housing, point=(0.5, -0.2, 0), stiffness=SOFT)
    machine = fb.System([rotor, housing, car], [axle], [mount])
    assert carriers(machine, "rotor") == ["car"]


def test_what_holds_the_ends_carries_the_middle_of_a_shaft_in_pieces():
    box, left, middle, right = bodies_at(box=0.0, left=-0.5, middle=0.0, right=0.5)
    ends = [
        fb.Revolute("one", box, left, point=(-0.5, 0, 0), axis="x"),
        fb.Cylindrical("other", box, right, point=(0.5, 0, 0), axis="x"),
    ]
    shaft = [
        fb.Bushing("left half", left, middle, point=(-0.25, 0, 0), stiffness=SOFT),
        fb.Bushing("right half", middle, right, point=(0.25, 0, 0), stiffness=SOFT),
    ]
    machine = fb.System([box, left, middle, right], ends, shaft)
    assert carriers(machine, "middle") == ["left", "right", "box"]


def test_the_ground_alone_carries_where_there_are_no_springs():
    """Gears and contacts carry nothing."""
    one, two, ball = bodies_at(one=0.0, two=0.3, ball=2.0)
    first, second = (
        fb.Revolute(f"axle of {body.name}", fb.GROUND, body, point=(x, 0, 0), axis="z")
        for body, x in ((one, 0.0), (two, 0.3))
    )
    touch = fb.Contact("touch", fb.Sphere(one, radius=0.1), fb.Sphere(ball, radius=0.1), stiffness=1e5)
    machine = fb.System([one, two, ball], [first, second, fb.Gear("gear", first, second, ratio=1.0)], [touch])
    assert all(carriers(machine, body.name) == [] for body in machine.bodies)
