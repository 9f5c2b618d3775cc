"""Run without a picture, keep everything, look at it later."""

import pickle
import tempfile
from pathlib import Path

import stickslip as ss

sim = ss.Simulator()
sim.add(ss.Body.plane(name="floor"))
die = sim.add(ss.Body.dodecahedron(0.3, position=(0, 0, 1), angular_velocity=(3, 2, 1)))
log = sim.run(500 * sim.time_step)

path = Path(tempfile.mkdtemp()) / "run.pickle"
path.write_bytes(pickle.dumps(log))
again: ss.Log = pickle.loads(path.read_bytes())
print(f"{len(again)} samples of {again.bodies}, lowest at z = {again[die].position[:, 2].min():.4f} m")
