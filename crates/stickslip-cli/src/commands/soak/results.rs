//! What was run and what was found, as JSON too: pieces run apart are put together.

use serde_json::{Value, json};

use super::judge::{Finding, Kind};

/// Seeds of one formulation, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    pub formulation: String,
    /// First and last.
    pub seeds: [u64; 2],
    /// How many of them have ended.
    pub runs: u64,
}

/// What was found in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub formulation: String,
    pub seed: u64,
    pub finding: Finding,
}

/// Pieces and what was found in them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// Steps of each run.
    pub steps: u64,
    pub pieces: Vec<Piece>,
    pub found: Vec<Found>,
}

impl Piece {
    pub fn len(&self) -> u64 {
        self.seeds[1] - self.seeds[0] + 1
    }
}

impl Results {
    /// Runs that have ended.
    pub fn runs(&self) -> u64 {
        self.pieces.iter().map(|p| p.runs).sum()
    }

    /// The formulations, each once.
    pub fn formulations(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for piece in &self.pieces {
            if !names.contains(&piece.formulation.as_str()) {
                names.push(&piece.formulation);
            }
        }
        names
    }

    /// How many runs of a formulation have ended.
    pub fn runs_of(&self, formulation: &str) -> u64 {
        self.pieces.iter().filter(|p| p.formulation == formulation).map(|p| p.runs).sum()
    }

    /// How many runs of a formulation ended in this way.
    pub fn count(&self, formulation: &str, kind: Kind) -> usize {
        let of = |f: &&Found| f.formulation == formulation && f.finding.kind == kind;
        self.found.iter().filter(of).count()
    }

    /// In the order of the pieces and seeds, whatever the order of the runs.
    pub fn sort(&mut self) {
        let names: Vec<String> = self.formulations().into_iter().map(str::to_owned).collect();
        let at = |name: &str| names.iter().position(|n| n == name);
        self.found.sort_by_key(|f| (at(&f.formulation), f.seed));
    }

    /// Takes in the results of other seeds.
    pub fn join(&mut self, other: Self) -> Result<(), String> {
        if self.pieces.is_empty() {
            self.steps = other.steps;
        }
        if self.steps != other.steps {
            return Err(format!("runs of {} steps and of {}", self.steps, other.steps));
        }
        for piece in other.pieces {
            let twice = self.pieces.iter().find(|p| {
                p.formulation == piece.formulation
                    && p.seeds[0] <= piece.seeds[1]
                    && piece.seeds[0] <= p.seeds[1]
            });
            if let Some(known) = twice {
                let [a, b] = known.seeds;
                return Err(format!("seeds of {a}..{b} are counted already"));
            }
            self.pieces.push(piece);
        }
        self.found.extend(other.found);
        self.sort();
        Ok(())
    }

    pub fn json(&self) -> Value {
        let pieces: Vec<Value> = self
            .pieces
            .iter()
            .map(|p| json!({ "formulation": p.formulation, "seeds": p.seeds, "runs": p.runs }))
            .collect();
        let totals: serde_json::Map<String, Value> = self
            .formulations()
            .into_iter()
            .map(|name| {
                let mut counts = json!({ "runs": self.runs_of(name) });
                for kind in Kind::ALL {
                    counts[kind.name()] = self.count(name, kind).into();
                }
                (name.to_owned(), counts)
            })
            .collect();
        let findings: Vec<Value> = self.found.iter().map(Found::json).collect();
        json!({ "steps": self.steps, "pieces": pieces, "totals": totals, "findings": findings })
    }

    /// Reads what [`Results::json`] wrote; totals are counted anew.
    pub fn parse(text: &str) -> Result<Self, String> {
        let all: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let pieces = array(&all, "pieces")?.iter().map(|piece| {
            let seeds = array(piece, "seeds")?;
            let [Some(first), Some(last)] = [0, 1].map(|k| seeds.get(k).and_then(Value::as_u64))
            else {
                return Err("\"seeds\" are not a first and a last".to_owned());
            };
            if first > last {
                return Err(format!("seeds {first}..{last} are in the wrong order"));
            }
            let formulation = string(piece, "formulation")?;
            Ok(Piece { formulation, seeds: [first, last], runs: integer(piece, "runs")? })
        });
        let found = array(&all, "findings")?.iter().map(Found::parse);
        Ok(Self {
            steps: integer(&all, "steps")?,
            pieces: pieces.collect::<Result<_, _>>()?,
            found: found.collect::<Result<_, _>>()?,
        })
    }
}

impl Found {
    fn json(&self) -> Value {
        let Finding { kind, step, value, bodies, detail } = &self.finding;
        json!({
            "formulation": self.formulation,
            "seed": self.seed,
            "kind": kind.name(),
            "step": step,
            "value": value,
            "bodies": bodies,
            "detail": detail,
        })
    }

    fn parse(value: &Value) -> Result<Self, String> {
        let name = string(value, "kind")?;
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        let bodies = array(value, "bodies")?.iter().filter_map(|b| b.as_str().map(str::to_owned));
        Ok(Self {
            formulation: string(value, "formulation")?,
            seed: integer(value, "seed")?,
            finding: Finding {
                kind: kind.ok_or_else(|| format!("no kind is named {name:?}"))?,
                step: integer(value, "step")?,
                value: value["value"].as_f64(),
                bodies: bodies.collect(),
                detail: string(value, "detail")?,
            },
        })
    }
}

fn array<'a>(value: &'a Value, key: &str) -> Result<&'a Vec<Value>, String> {
    value[key].as_array().ok_or_else(|| format!("there is no list {key:?}"))
}

fn integer(value: &Value, key: &str) -> Result<u64, String> {
    value[key].as_u64().ok_or_else(|| format!("there is no number {key:?}"))
}

fn string(value: &Value, key: &str) -> Result<String, String> {
    value[key].as_str().map(str::to_owned).ok_or_else(|| format!("there is no text {key:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(seeds: [u64; 2]) -> Piece {
        Piece { formulation: "peg".into(), seeds, runs: seeds[1] - seeds[0] + 1 }
    }

    fn results(seeds: [u64; 2], seed: u64) -> Results {
        let finding = Finding {
            kind: Kind::Deep,
            step: 7,
            value: Some(1.25e-3),
            bodies: vec!["a".into(), "floor".into()],
            detail: "a in floor by 1.25e-3 m".into(),
        };
        let found = vec![Found { formulation: "peg".into(), seed, finding }];
        Results { steps: 200, pieces: vec![piece(seeds)], found }
    }

    #[test]
    fn results_read_back_are_the_same() {
        let all = results([10, 19], 12);
        assert_eq!(Results::parse(&all.json().to_string()), Ok(all));
        for wrong in ["", "{}", "[]", r#"{"steps": 1, "pieces": [{}], "findings": []}"#] {
            assert!(Results::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn pieces_are_put_together_once() {
        let mut all = Results::default();
        assert_eq!(all.join(results([10, 19], 12)), Ok(()));
        assert_eq!(all.join(results([0, 9], 3)), Ok(()));
        assert_eq!((all.runs(), all.count("peg", Kind::Deep)), (20, 2));
        assert_eq!(all.found.iter().map(|f| f.seed).collect::<Vec<_>>(), [3, 12]);
        assert!(all.join(results([9, 9], 9)).is_err());
        let others = Results { steps: 20, ..results([30, 39], 31) };
        assert!(all.join(others).is_err());
    }
}
