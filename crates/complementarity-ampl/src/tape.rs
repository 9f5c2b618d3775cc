//! Expressions as one list of operations, each after its operands; values forward, derivatives in
//! reverse.

/// One operation; numbers are places in the list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Node {
    /// A number.
    Number(f64),
    /// A variable.
    Variable(usize),
    /// An operation on one value.
    Unary(Unary, u32),
    /// An operation on two values.
    Binary(Binary, u32, u32),
    /// The second where the first is not zero, else the third.
    If(u32, u32, u32),
}

/// Operations on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // their names say what they are
pub enum Unary {
    Minus,
    Abs,
    Floor,
    Ceil,
    Sqrt,
    Exp,
    Log,
    Log10,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Not,
}

/// Operations on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // their names say what they are
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Remainder,
    /// `max(a - b, 0)`.
    Less,
    Min,
    Max,
    Atan2,
    Or,
    And,
    Below,
    AtMost,
    Equal,
    AtLeast,
    Above,
    Unequal,
}

fn truth(yes: bool) -> f64 {
    f64::from(u8::from(yes))
}

impl Unary {
    /// Value and derivative.
    pub fn apply(self, x: f64) -> (f64, f64) {
        match self {
            Self::Minus => (-x, -1.0),
            Self::Abs => (x.abs(), if x < 0.0 { -1.0 } else { 1.0 }),
            Self::Floor => (x.floor(), 0.0),
            Self::Ceil => (x.ceil(), 0.0),
            Self::Sqrt => (x.sqrt(), 0.5 / x.sqrt()),
            Self::Exp => (x.exp(), x.exp()),
            Self::Log => (x.ln(), 1.0 / x),
            Self::Log10 => (x.log10(), 1.0 / (x * std::f64::consts::LN_10)),
            Self::Sin => (x.sin(), x.cos()),
            Self::Cos => (x.cos(), -x.sin()),
            Self::Tan => (x.tan(), 1.0 + x.tan().powi(2)),
            Self::Asin => (x.asin(), 1.0 / (1.0 - x * x).sqrt()),
            Self::Acos => (x.acos(), -1.0 / (1.0 - x * x).sqrt()),
            Self::Atan => (x.atan(), 1.0 / (1.0 + x * x)),
            Self::Sinh => (x.sinh(), x.cosh()),
            Self::Cosh => (x.cosh(), x.sinh()),
            Self::Tanh => (x.tanh(), 1.0 - x.tanh().powi(2)),
            Self::Asinh => (x.asinh(), 1.0 / (1.0 + x * x).sqrt()),
            Self::Acosh => (x.acosh(), 1.0 / (x * x - 1.0).sqrt()),
            Self::Atanh => (x.atanh(), 1.0 / (1.0 - x * x)),
            Self::Not => (truth(x == 0.0), 0.0),
        }
    }
}

impl Binary {
    /// Value and both derivatives.
    pub fn apply(self, a: f64, b: f64) -> (f64, f64, f64) {
        let flat = |yes: bool| (truth(yes), 0.0, 0.0);
        match self {
            Self::Add => (a + b, 1.0, 1.0),
            Self::Subtract => (a - b, 1.0, -1.0),
            Self::Multiply => (a * b, b, a),
            Self::Divide => (a / b, 1.0 / b, -a / (b * b)),
            Self::Power => power(a, b),
            Self::Remainder => (a % b, 1.0, -(a / b).trunc()),
            Self::Less if a > b => (a - b, 1.0, -1.0),
            Self::Less => (0.0, 0.0, 0.0),
            Self::Min if a <= b => (a, 1.0, 0.0),
            Self::Max if a >= b => (a, 1.0, 0.0),
            Self::Min | Self::Max => (b, 0.0, 1.0),
            Self::Atan2 => {
                let square = a * a + b * b;
                (a.atan2(b), b / square, -a / square)
            }
            Self::Or => flat(a != 0.0 || b != 0.0),
            Self::And => flat(a != 0.0 && b != 0.0),
            Self::Below => flat(a < b),
            Self::AtMost => flat(a <= b),
            Self::Equal => flat(a == b),
            Self::AtLeast => flat(a >= b),
            Self::Above => flat(a > b),
            Self::Unequal => flat(a != b),
        }
    }
}

fn power(a: f64, b: f64) -> (f64, f64, f64) {
    let whole = b.fract() == 0.0 && b.abs() < 1000.0;
    let raise = |a: f64, b: f64| if whole { a.powi(b as i32) } else { a.powf(b) };
    let value = raise(a, b);
    let slope = if b == 0.0 { 0.0 } else { b * raise(a, b - 1.0) };
    // only used where the exponent is no constant
    let log = if a > 0.0 { value * a.ln() } else { 0.0 };
    (value, slope, log)
}

/// All operations of a file.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    nodes: Vec<Node>,
}

impl Tape {
    /// Adds an operation; its place.
    pub fn push(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        (self.nodes.len() - 1) as u32
    }

    /// The values of all operations at `x`.
    pub fn values(&self, x: &[f64]) -> Vec<f64> {
        let mut v: Vec<f64> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let value = match *node {
                Node::Number(c) => c,
                Node::Variable(i) => x.get(i).copied().unwrap_or(f64::NAN),
                Node::Unary(op, a) => op.apply(v[a as usize]).0,
                Node::Binary(op, a, b) => op.apply(v[a as usize], v[b as usize]).0,
                Node::If(c, a, b) => v[if v[c as usize] != 0.0 { a } else { b } as usize],
            };
            v.push(value);
        }
        v
    }

    /// The operations that a root depends on, the last first.
    pub fn below(&self, root: u32) -> Vec<u32> {
        let mut found = std::collections::BTreeSet::new();
        let mut stack = vec![root];
        while let Some(k) = stack.pop() {
            if !found.insert(k) {
                continue;
            }
            match self.nodes[k as usize] {
                Node::Number(_) | Node::Variable(_) => {}
                Node::Unary(_, a) => stack.push(a),
                Node::Binary(_, a, b) => stack.extend([a, b]),
                Node::If(c, a, b) => stack.extend([c, a, b]),
            }
        }
        found.into_iter().rev().collect()
    }

    /// Calls `add(variable, derivative)` for a root with the operations [`below`](Self::below) it; a
    /// variable may come more than once. `slope` is as long as the tape and zero, and stays so.
    pub fn derivatives(
        &self,
        below: &[u32],
        values: &[f64],
        slope: &mut [f64],
        mut add: impl FnMut(usize, f64),
    ) {
        let Some(&root) = below.first() else { return };
        slope[root as usize] = 1.0;
        for &k in below {
            let s = std::mem::take(&mut slope[k as usize]);
            if s == 0.0 {
                continue;
            }
            let v = |i: u32| values[i as usize];
            match self.nodes[k as usize] {
                Node::Number(_) => {}
                Node::Variable(i) => add(i, s),
                Node::Unary(op, a) => slope[a as usize] += s * op.apply(v(a)).1,
                Node::Binary(op, a, b) => {
                    let (_, da, db) = op.apply(v(a), v(b));
                    slope[a as usize] += s * da;
                    if !matches!(self.nodes[b as usize], Node::Number(_)) {
                        slope[b as usize] += s * db;
                    }
                }
                Node::If(c, a, b) => slope[if v(c) != 0.0 { a } else { b } as usize] += s,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation against differences, where it is smooth.
    #[test]
    fn derivatives_agree_with_differences() {
        use Unary::*;
        let h = 1e-6;
        for op in [
            Minus, Abs, Sqrt, Exp, Log, Log10, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh,
            Asinh, Acosh, Atanh,
        ] {
            let x = if op == Acosh { 1.7 } else { 0.4 };
            let slope = (op.apply(x + h).0 - op.apply(x - h).0) / (2.0 * h);
            assert!((slope - op.apply(x).1).abs() < 1e-7, "{op:?}");
        }
        use super::Binary::*;
        for op in [Add, Subtract, Multiply, Divide, Power, Remainder, Less, Min, Max, Atan2] {
            let (a, b) = (2.3, 0.7);
            let (_, da, db) = op.apply(a, b);
            let by_a = (op.apply(a + h, b).0 - op.apply(a - h, b).0) / (2.0 * h);
            let by_b = (op.apply(a, b + h).0 - op.apply(a, b - h).0) / (2.0 * h);
            assert!((by_a - da).abs() < 1e-7 && (by_b - db).abs() < 1e-7, "{op:?}");
        }
        // negative bases have whole powers
        assert_eq!(Power.apply(-2.0, 3.0), (-8.0, 12.0, 0.0));
    }

    /// A shared part counts as often as it is used: (x y)² + x y.
    #[test]
    fn shared_parts_add_up() {
        let mut tape = Tape::default();
        let (x, y) = (tape.push(Node::Variable(0)), tape.push(Node::Variable(1)));
        let p = tape.push(Node::Binary(Binary::Multiply, x, y));
        let square = tape.push(Node::Binary(Binary::Multiply, p, p));
        let root = tape.push(Node::Binary(Binary::Add, square, p));
        let values = tape.values(&[2.0, 3.0]);
        assert_eq!(values[root as usize], 42.0);
        let mut found = [0.0; 2];
        let mut slope = vec![0.0; values.len()];
        tape.derivatives(&tape.below(root), &values, &mut slope, |i, d| found[i] += d);
        assert_eq!(found, [13.0 * 3.0, 13.0 * 2.0]);
        assert!(slope.iter().all(|s| *s == 0.0));
    }
}
