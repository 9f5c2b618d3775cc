"""Run without a picture, record everything, look at it later."""

import tempfile
from pathlib import Path

import stickslip as ss

sim = ss.Simulator()
sim.add(ss.Body.plane(name="floor"))
die = sim.add(ss.Body.dodecahedron(0.3, position=(0, 0, 1), angular_velocity=(3, 2, 1)))
path = Path(tempfile.mkdtemp()) / "run.h5"
sim.run(500 * sim.time_step, record=path)

log = ss.load(path)
log.view().save(path.with_suffix(".html"))
print(f"{len(log)} samples of {log.bodies}, lowest at z = {log[die].position[:, 2].min():.4f} m")
