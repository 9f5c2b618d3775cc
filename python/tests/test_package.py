"""The package itself: stubs, documentation, settings."""

import ast
import base64
import hashlib
import importlib.util
import inspect
import pathlib
import re
import tomllib
import zipfile

import pytest

import stickslip as ss
from stickslip import _core

STUBS = ast.parse((pathlib.Path(ss.__file__).parent / "_core.pyi").read_text())


def names_of(arguments):
    return [a.arg for a in (*arguments.posonlyargs, *arguments.args) if a.arg not in ("self", "cls")]


def stub_functions(body):
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def is_property(node):
    return any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list)


def parameters(f):
    return [name for name in inspect.signature(f).parameters if name not in ("self", "cls")]


def test_stubs_name_everything_in_the_module_and_nothing_else():
    classes = {node.name: node for node in STUBS.body if isinstance(node, ast.ClassDef)}
    functions = stub_functions(STUBS.body)
    public = {name for name in vars(_core) if not name.startswith("_")}
    assert public == set(classes) | set(functions)
    for name, node in functions.items():
        assert parameters(getattr(_core, name)) == names_of(node.args), name


def test_stubs_match_the_classes():
    for node in STUBS.body:
        if not isinstance(node, ast.ClassDef):
            continue
        real, stubs = getattr(_core, node.name), stub_functions(node.body)
        public = {name for name in vars(real) if not name.startswith("_")}
        assert public == {name for name in stubs if not name.startswith("_")}, node.name
        for name in public:
            member, stub = vars(real)[name], stubs[name]
            is_static = isinstance(member, staticmethod)
            if is_property(stub):
                assert inspect.isgetsetdescriptor(member), (node.name, name)
                continue
            assert is_static == any(
                isinstance(d, ast.Name) and d.id == "staticmethod" for d in stub.decorator_list
            ), (node.name, name)
            assert parameters(getattr(real, name)) == names_of(stub.args), (node.name, name)
    new = stub_functions(next(n for n in STUBS.body if getattr(n, "name", "") == "Engine").body)
    assert parameters(_core.Engine) == names_of(new["__new__"].args)


def test_everything_public_is_documented():
    for name in ss.__all__:
        thing = getattr(ss, name)
        assert inspect.getdoc(thing), name
        kinds = [k for k in getattr(thing, "__mro__", ()) if k.__module__.startswith("stickslip")]
        for kind in kinds:
            for member, value in vars(kind).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    assert inspect.getdoc(value), f"{name}.{member}"


def public():
    """Everything that users are meant to call, by name; what is inherited counts once."""
    things = {name: getattr(ss, name) for name in ss.__all__}
    things |= {f"lcp.{name}": getattr(ss.lcp, name) for name in ss.lcp.__all__}
    things |= {f"experiments.{name}": getattr(ss.experiments, name) for name in ("list", "run", "Claim", "Report")}
    things["contacts.dtype"] = ss.contacts.dtype
    for name, thing in list(things.items()):
        if inspect.isclass(thing):
            kinds = [k for k in thing.__mro__ if k.__module__.startswith("stickslip")]
            members = {m: v for kind in reversed(kinds) for m, v in vars(kind).items()}
            for member, value in members.items():
                value = getattr(value, "__func__", value)
                if inspect.isfunction(value) and not member.startswith("_"):
                    things[f"{name}.{member}"] = value
    wrong = (ss.StickslipError,)
    return {
        name: thing
        for name, thing in things.items()
        if callable(thing) and not (inspect.isclass(thing) and issubclass(thing, wrong))
    }


def test_everything_public_has_an_example_in_its_help():
    # The examples themselves run as doctests.
    without = [name for name, thing in public().items() if ">>> " not in (inspect.getdoc(thing) or "")]
    assert len(public()) > 100 and not without, without


def test_every_setting_is_a_keyword_and_an_attribute():
    sim = ss.Simulator()
    keywords = set(inspect.signature(ss.Simulator).parameters) - {"unknown"}
    assert set(sim.settings) == keywords
    for key, value in sim.settings.items():
        attribute = "time_step" if key == "step" else key
        if key not in ("friction_rule", "restitution_rule", "gravity"):
            assert getattr(sim, attribute) == value, key
    again = ss.Simulator(**sim.settings)
    assert again.settings == sim.settings


def fields_of(source, name):
    struct = source.read_text().split(f"pub struct {name} {{")[1].split("\n}")[0]
    return re.findall(r"^    pub (\w+):", struct, re.MULTILINE)


def test_no_setting_of_the_engine_is_forgotten():
    source = pathlib.Path(__file__).parents[2] / "crates/stickslip/src/settings.rs"
    if not source.exists():
        pytest.skip("the source of the engine is not here")
    fields = fields_of(source, "Settings")
    # Those of two formulations are settings of their own.
    folder = source.parent / "formulate/penalty/settings.rs"
    short = {"points": "points", "static_friction": "penalty_friction"}
    fields.remove("penalty")
    fields += [short.get(f, f"penalty_{f}") for f in fields_of(folder, "PenaltySettings")]
    folder = source.parent / "formulate/separation/settings.rs"
    fields.remove("separation")
    fields += [f"separation_{f}" for f in fields_of(folder, "SeparationSettings")]
    forgotten = set(fields) - set(ss.Simulator().settings)
    assert fields and not forgotten, "add them to stickslip-py/src/settings.rs and simulator.py"


def test_every_key_of_a_scene_file_is_a_keyword():
    page = pathlib.Path(__file__).parents[2] / "docs/scene-reference.md"
    if not page.exists():
        pytest.skip("the reference of scene files is not here")
    from stickslip.body import BodyFields
    from stickslip.joint import JointFields

    def keys(table):
        part = page.read_text().split(f"## {table}\n")[1].split("| key |")[1].split("\n\n")[0]
        return set(re.findall(r"^\| `(\w+)`", part, re.MULTILINE))

    assert keys("[simulation]") <= set(ss.Simulator().settings)
    assert keys("[[body]]") - {"shape"} == set(BodyFields.__annotations__)
    methods = {"type", "bodies", "anchor_b", "dof", "joints", "ratio"}
    assert keys("[[joint]]") - methods <= set(JointFields.__annotations__)
    assert keys("[[pair]]") - {"bodies"} == set(inspect.signature(ss.Simulator.pair).parameters) - {"self", "a", "b"}


def test_both_project_files_describe_the_same_package():
    here = pathlib.Path(__file__).parents[1] / "pyproject.toml"
    root = here.parents[1] / "pyproject.toml"
    if not root.exists():
        pytest.skip("the root of the repository is not here")
    one, other = (tomllib.loads(path.read_text()) for path in (here, root))
    for path, table in ((here, one), (root, other)):
        # Paths are meant from where each file lies.
        assert (path.parent / table["project"].pop("readme")).resolve() == here.parent / "README.md"
        maturin = table["tool"]["maturin"]
        assert (path.parent / maturin.pop("python-source")).resolve() == here.parent
        assert (path.parent / maturin.pop("manifest-path")).resolve().parent.name == "stickslip-py"
        (backend,) = table["build-system"].pop("backend-path")
        assert (path.parent / backend / "backend.py").resolve() == here.parent / "backend.py"
        version = tomllib.loads((root.parent / "Cargo.toml").read_text())["workspace"]["package"]["version"]
        assert f"complementarity=={version}" in table["project"]["dependencies"]
    assert one["project"] == other["project"] and one["build-system"] == other["build-system"]
    assert one["tool"]["maturin"] == other["tool"]["maturin"]


def test_a_build_from_the_tree_says_where_complementarity_is(tmp_path):
    """The wheel that pip builds names the folder beside this one, and its list of files fits."""
    pytest.importorskip("maturin")
    path = pathlib.Path(__file__).parents[1] / "backend.py"
    if not path.exists():
        pytest.skip("the build of the package is not here")
    spec = importlib.util.spec_from_file_location("backend", path)
    backend = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(backend)
    wheel, name = tmp_path / "a.whl", "a-1.dist-info/METADATA"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("a/__init__.py", "")
        file.writestr(name, "Name: a\nRequires-Dist: complementarity==0.1.0\nRequires-Dist: numpy>=1.26\n")
        file.writestr("a-1.dist-info/RECORD", f"a/__init__.py,sha256=x,0\n{name},sha256=y,1\n")
    backend._readdress(wheel)
    with zipfile.ZipFile(wheel) as file:
        text, record = file.read(name), file.read("a-1.dist-info/RECORD").decode()
    beside = (path.parents[1] / "python-complementarity").as_uri()
    assert f"Requires-Dist: complementarity @ {beside}\nRequires-Dist: numpy>=1.26" in text.decode()
    digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
    assert record == f"a/__init__.py,sha256=x,0\n{name},sha256={digest},{len(text)}\n"


def test_settings_are_set():
    sim = ss.Simulator(
        step=0.02, friction="none", friction_directions=5, epsilon=0.1, impact="poisson",
        restitution_threshold=0.5, problem_form="full", gyroscopic=False, on_unsolved="stop",
        accept_residual=1e-5, threads=1, duration=3.0, detector="parry", solver="pgs",
        solver_options={"max_iterations": 7}, formulation="stewart-trinkle",
    )  # fmt: skip
    found = sim.settings
    assert found["step"] == 0.02 and found["epsilon"] == 0.1 and found["threads"] == 1
    assert found["solver_options"] == {"max_iterations": 7} and found["impact"] == "poisson"
    sim.solver = "lemke"
    assert sim.solver_options == {}
    sim.epsilon = "auto"
    assert sim.epsilon == "auto"


def test_every_formulation_and_detector_makes_a_step():
    for formulation in ss.formulations():
        for detector in ss.detectors():
            sim = ss.Simulator(formulation=formulation, detector=detector)
            sim.add(ss.Body.plane())
            cube = sim.add(ss.Body.box(1, 1, 1, position=(0, 0, 0.5)))
            sim.step(5)
            # Penalty forces arise from depth: the cube first sinks a little.
            soft = 0.01 if formulation == "penalty" else 1e-6
            assert abs(cube.position[2] - 0.5) < soft, (formulation, detector)
