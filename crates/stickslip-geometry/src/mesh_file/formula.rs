//! Numbers written as formulas: `+ - * / ^`, parentheses, `sqrt`, `sin`, `cos`, `tan`, `pi`.
//!
//! As in MATLAB, `-2^2` is -4, `2^-1` is allowed, powers group from the left, and in a list
//! `1 -2` is two numbers while `1 - 2` is one.

/// Parentheses within parentheses.
const MAX_DEPTH: usize = 100;

/// The numbers of a list: separated by spaces, commas or semicolons, with or without brackets.
pub(super) fn list(text: &str) -> Result<Vec<f64>, String> {
    let mut parser = Parser { text: text.as_bytes(), at: 0, depth: 0 };
    let mut found = vec![];
    loop {
        while parser.peek().is_some_and(|c| b" \t\r,;[]=".contains(&c)) {
            parser.at += 1;
        }
        if parser.peek().is_none() {
            return Ok(found);
        }
        let start = parser.at;
        let value = parser.sum()?;
        if !value.is_finite() {
            let text = String::from_utf8_lossy(&parser.text[start..parser.at]).into_owned();
            return Err(format!("`{}` is {value}, not a finite number", super::shown(&text)));
        }
        found.push(value);
    }
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn spaces(&mut self) -> bool {
        let start = self.at;
        while self.peek().is_some_and(|c| c == b' ' || c == b'\t') {
            self.at += 1;
        }
        self.at > start
    }

    /// Takes the next character if it is one of these, past spaces; stays put otherwise.
    fn operator(&mut self, these: &[u8]) -> Option<u8> {
        let start = self.at;
        let spaced = self.spaces();
        let found = self.peek().filter(|c| these.contains(c));
        // Outside parentheses ` -2` begins the next number of the list.
        let sign = found.is_some_and(|c| c == b'+' || c == b'-');
        let glued = self.text.get(self.at + 1).is_some_and(|c| !b" \t".contains(c));
        if found.is_none() || (sign && spaced && glued && self.depth == 0) {
            self.at = start;
            return None;
        }
        self.at += 1;
        found
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut value = self.product()?;
        while let Some(sign) = self.operator(b"+-") {
            let next = self.product()?;
            value += if sign == b'+' { next } else { -next };
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut value = self.signed()?;
        while let Some(sign) = self.operator(b"*/") {
            let next = self.signed()?;
            value = if sign == b'*' { value * next } else { value / next };
        }
        Ok(value)
    }

    fn signed(&mut self) -> Result<f64, String> {
        let sign = self.signs();
        let mut value = self.atom()?;
        while self.operator(b"^").is_some() {
            let exponent_sign = self.signs();
            value = value.powf(exponent_sign * self.atom()?);
        }
        Ok(sign * value)
    }

    /// Any number of leading signs.
    fn signs(&mut self) -> f64 {
        let mut sign = 1.0;
        loop {
            self.spaces();
            match self.peek() {
                Some(b'-') => sign = -sign,
                Some(b'+') => {}
                _ => return sign,
            }
            self.at += 1;
        }
    }

    fn atom(&mut self) -> Result<f64, String> {
        match self.peek() {
            Some(b'(') => self.parenthesis(),
            Some(c) if c.is_ascii_digit() || c == b'.' => self.digits(),
            Some(c) if c.is_ascii_alphabetic() => self.name(),
            Some(c) => Err(format!("`{}` where a number should be", (c as char).escape_default())),
            None => Err("the line ends where a number should be".into()),
        }
    }

    fn parenthesis(&mut self) -> Result<f64, String> {
        if self.depth >= MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} parentheses within each other"));
        }
        self.at += 1;
        self.depth += 1;
        let value = self.sum()?;
        self.depth -= 1;
        self.spaces();
        if self.peek() != Some(b')') {
            return Err("a parenthesis is not closed".into());
        }
        self.at += 1;
        Ok(value)
    }

    fn digits(&mut self) -> Result<f64, String> {
        let start = self.at;
        let skip = |p: &mut Self| {
            while p.peek().is_some_and(|c| c.is_ascii_digit() || c == b'.') {
                p.at += 1;
            }
        };
        skip(self);
        if self.peek().is_some_and(|c| c == b'e' || c == b'E') {
            self.at += 1;
            if self.peek().is_some_and(|c| c == b'+' || c == b'-') {
                self.at += 1;
            }
            skip(self);
        }
        let word = String::from_utf8_lossy(&self.text[start..self.at]).into_owned();
        word.parse().map_err(|_| format!("`{}` is not a number", super::shown(&word)))
    }

    fn name(&mut self) -> Result<f64, String> {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric()) {
            self.at += 1;
        }
        let word = String::from_utf8_lossy(&self.text[start..self.at]).into_owned();
        let function: fn(f64) -> f64 = match word.as_str() {
            "pi" => return Ok(std::f64::consts::PI),
            "sqrt" => f64::sqrt,
            "sin" => f64::sin,
            "cos" => f64::cos,
            "tan" => f64::tan,
            _ => return Err(format!("unknown name `{}`", super::shown(&word))),
        };
        self.spaces();
        match self.peek() {
            Some(b'(') => Ok(function(self.parenthesis()?)),
            _ => Err(format!("`{word}` without a parenthesis")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::list;

    #[test]
    fn formulas_have_their_values() {
        let cases: [(&str, &[f64]); 12] = [
            ("[0;0;(2/3)^0.5]", &[0.0, 0.0, (2.0_f64 / 3.0).sqrt()]),
            ("2 [-1/(2*(3^0.5)); -1/2; 1e-1];", &[2.0, -0.5 / 3_f64.sqrt(), -0.5, 0.1]),
            ("1 -.5 -.5", &[1.0, -0.5, -0.5]),
            ("1 - .5 -.5", &[0.5, -0.5]),
            ("1-.5,+3", &[0.5, 3.0]),
            ("-2^2", &[-4.0]),
            ("2^-1", &[0.5]),
            ("2^3^2", &[64.0]),
            ("sqrt(16) pi", &[4.0, std::f64::consts::PI]),
            ("2 * 3 + 4", &[10.0]),
            ("(1 -2)", &[-1.0]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            let found = list(text).unwrap();
            assert_eq!(found.len(), expected.len(), "{text}: {found:?}");
            for (a, b) in found.iter().zip(expected) {
                assert!((a - b).abs() < 1e-15, "{text}: {found:?}");
            }
        }
    }

    #[test]
    fn bad_formulas_are_refused() {
        for text in ["1/0", "sqrt(-1)", "(1", "1 2 *", "x", "1..2", "sqrt 2", "1 @", "2^", ")"] {
            assert!(list(text).is_err(), "{text}: {:?}", list(text));
        }
        assert!(list(&"(".repeat(100_000)).is_err());
    }
}
