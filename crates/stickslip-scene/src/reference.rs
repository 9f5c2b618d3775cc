//! The reference page of the scene file, written from the schema.

use std::fmt::Write;

use stickslip::complementarity::registry;

use crate::schema::{
    BODY, CAMERA, DOF, DRIVEN, FORCE, FORCE_TYPES, Field, IMPORT, JOINT, JOINT_TYPES, Kind, MOTOR,
    PAIR, PART, SHAPES, SIMULATION, SOLVER, Section, World, Worlds,
};

/// The page, in Markdown.
pub fn markdown() -> String {
    let mut page = String::from(INTRODUCTION);
    section(&mut page, "[simulation]", &SIMULATION);
    heading(&mut page, 2, "[solver]", SOLVER.doc);
    for info in registry::info() {
        let _ = writeln!(page, "`{}`: {}.\n", info.name, info.summary);
        for setting in info.settings {
            let _ = writeln!(page, "- `{}`: {}", setting.key, setting.doc);
        }
        page.push('\n');
    }
    section(&mut page, "[[body]]", &BODY);
    shapes(&mut page);
    section(&mut page, "[[pair]]", &PAIR);
    section(&mut page, "[[joint]]", &JOINT);
    page.push_str("| type | what it lets move |\n|---|---|\n");
    for (name, moves) in JOINT_TYPES {
        let _ = writeln!(page, "| `{name}` | {moves} |");
    }
    page.push('\n');
    heading(&mut page, 3, "motor", MOTOR.doc);
    table(&mut page, MOTOR.fields, World::Space);
    heading(&mut page, 3, "dof", DOF.doc);
    table(&mut page, DOF.fields, World::Space);
    let doc =
        "Drives a joint that stands elsewhere: the name of the joint and the keys of a motor.";
    heading(&mut page, 2, "[[motor]]", doc);
    table(&mut page, DRIVEN, World::Space);
    section(&mut page, "[[force]]", &FORCE);
    page.push_str("| type | what it does |\n|---|---|\n");
    for (name, does) in FORCE_TYPES {
        let _ = writeln!(page, "| `{name}` | {does} |");
    }
    page.push('\n');
    section(&mut page, "[[import]]", &IMPORT);
    section(&mut page, "[camera]", &CAMERA);
    page
}

const INTRODUCTION: &str = "\
# Scene files

Every key that a scene file may hold. This page is written by `stickslip scenes --reference` from
the table that also checks scene files. Units are SI throughout. An unknown key, a value of the
wrong type or out of its range, a name that nothing bears: each is an error with file, line,
column, key and remedy.

`--set KEY=VALUE` changes any key from the command line: `--set step=0.002` (short for
`simulation.step`), `--set solver.tolerance=1e-10`, `--set body.peg.friction=0.2` (bodies and
joints by name, pairs by number from 1). The value is TOML; a bare word is a text.

`description = \"...\"` at the top of the file says in one line what happens; the viewer shows it.

";

fn heading(page: &mut String, level: usize, title: &str, doc: &str) {
    let _ = writeln!(page, "{} {title}\n", "#".repeat(level));
    if !doc.is_empty() {
        let _ = writeln!(page, "{doc}\n");
    }
}

fn section(page: &mut String, title: &str, section: &Section) {
    heading(page, 2, title, section.doc);
    table(page, section.fields, World::Space);
}

fn table(page: &mut String, fields: &[Field], world: World) {
    if fields.is_empty() {
        return;
    }
    page.push_str("| key | must be | unit | default | meaning |\n|---|---|---|---|---|\n");
    for f in fields {
        let must = cell(&must_be(f.kind, world));
        let text = f.default_text();
        let default = match text.is_empty() || f.required() {
            true => text,
            false => format!("`{}`", cell(&text)),
        };
        let _ =
            writeln!(page, "| `{}` | {must} | {} | {default} | {} |", f.key, f.unit, cell(f.doc));
    }
    page.push('\n');
}

/// What a value must be, for both worlds where they differ.
fn must_be(kind: Kind, world: World) -> String {
    let (space, plane) = (kind.expected(World::Space), kind.expected(World::Plane));
    match world {
        World::Plane => plane,
        World::Space if space == plane => space,
        World::Space => format!("{space}; {plane}"),
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn shapes(page: &mut String) {
    let doc = "`shape = { type = \"box\", size = [1, 1, 1] }`: the type and its keys.";
    heading(page, 2, "Shapes", doc);
    for shape in SHAPES {
        let (worlds, world) = match shape.worlds {
            Worlds::Plane => ("2D", World::Plane),
            Worlds::Space => ("3D", World::Space),
            Worlds::Both => ("2D and 3D", World::Space),
        };
        heading(page, 3, &format!("{} ({worlds})", shape.name), shape.section.doc);
        table(page, shape.section.fields, world);
        if shape.name == "compound" {
            page.push_str("A part has the keys of its shape and these:\n\n");
            table(page, PART, world);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scene;

    /// Writing a documented default into a scene changes nothing.
    #[test]
    fn documented_defaults_are_the_ones_in_use() {
        let body = "\n[[body]]\nshape = { type = \"box\", size = [1, 1, 1] }\n";
        let plain = Scene::parse("plain", body).unwrap();
        let simulation = SIMULATION.fields.iter().map(|f| (f, true));
        let fields = simulation.chain(BODY.fields.iter().map(|f| (f, false)));
        let mut compared = 0;
        for (field, of_simulation) in fields {
            let text = field.default_text();
            let line = format!("{} = {text}\n", field.key);
            let scene = match of_simulation {
                true => format!("[simulation]\n{line}{body}"),
                false => format!("{body}{line}"),
            };
            // Words such as "zero" are for people.
            if toml::de::DeTable::parse(&line).is_err() {
                continue;
            }
            let written = Scene::parse("written", &scene).unwrap();
            assert_eq!(written.settings, plain.settings, "{line}");
            assert_eq!(written.state, plain.state, "{line}");
            let of = |s: &Scene| format!("{:?}", s.model);
            assert_eq!(of(&written), of(&plain), "{line}");
            compared += 1;
        }
        assert!(compared > 20, "{compared}");
    }
}
