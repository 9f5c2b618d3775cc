"""The example that the package promises, typed as it stands there."""

import pytest

EXAMPLE = '''
import stickslip as ss

sim = ss.Simulator(step=0.01, formulation="{formulation}")
for x, y in [(-1, 0), (1, 0), (0, 1), (0, -1)]:
    sim.add(ss.Body.box(1, 1, 1, position=(x, y, 0), static=True))
peg = sim.add(ss.Body.box(1, 1, 1, position=(0, 0, 1.5)).scaled(0.99999))
log = sim.run(2.0)                 # progress bar; Ctrl-C stops cleanly
log.plot(peg, "position.z")        # matplotlib axes
'''


def run(formulation):
    names = {}
    exec(EXAMPLE.format(formulation=formulation), names)
    return names


def exact():
    import stickslip as ss

    return [name for name in ("peg", "separation") if name in ss.formulations()]


@pytest.mark.parametrize("formulation", exact())
def test_the_peg_falls_freely_through_its_hole(formulation):
    names = run(formulation)
    n, h, g = 200, 0.01, 9.81
    # Semi-implicit Euler in free fall: z = z0 - g h^2 n (n + 1) / 2.
    assert names["peg"].position[2] == pytest.approx(1.5 - g * h * h * n * (n + 1) / 2, abs=1e-9)
    assert names["log"].summary["diagnostics"]["max_penetration"] == 0.0
    axes = names["log"].plot(names["peg"], "position.z")
    assert axes.lines[0].get_ydata()[-1] == names["peg"].position[2]


def test_the_standard_model_holds_the_peg_up():
    assert run("stewart-trinkle")["peg"].position[2] > 0.9
