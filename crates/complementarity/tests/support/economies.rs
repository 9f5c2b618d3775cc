//! General equilibrium with activities: the two economies of Scarf with Hansen, The computation of economic
//! equilibria (1973), with the starts and the numeraires of the library of GAMS (`scarfmcp`, `hansmcp`).

use super::{Classic, INF, ncp};

/// What an activity makes and, negative, uses: good and amount.
type Activity = &'static [(usize, f64)];

/// A consumer: endowment and wants by good, and the elasticity of substitution.
struct Consumer {
    has: &'static [(usize, f64)],
    wants: &'static [(usize, f64)],
    elasticity: f64,
}

/// Unknowns: incomes, prices, activities. Markets clear, no activity makes a profit, incomes are what endowments
/// are worth. Demand is `alpha_g (i / sum alpha p^(1 - s)) p_g^(-s)`, with `i alpha_g / p_g` for s = 1.
fn economy(
    name: &'static str,
    goods: usize,
    consumers: Vec<Consumer>,
    activities: &'static [Activity],
) -> Classic {
    let (h, s) = (consumers.len(), activities.len());
    let n = h + goods + s;
    let wanted = |g: usize| consumers.iter().any(|c| c.wants.iter().any(|w| w.0 == g));
    let mut lower = vec![0.0; n];
    (0..goods).filter(|g| wanted(*g)).for_each(|g| lower[h + g] = 1e-5);
    let mut made = ncp(name, (0, n), &[&[1.0]], move |z, f| {
        let (income, price, level) = (&z[..h], &z[h..h + goods], &z[h + goods..]);
        f.fill(0.0);
        for (k, consumer) in consumers.iter().enumerate() {
            let worth: f64 = consumer.has.iter().map(|(g, x)| price[*g] * x).sum();
            f[k] = income[k] - worth;
            consumer.has.iter().for_each(|(g, x)| f[h + g] += x);
            let all: f64 = consumer.wants.iter().map(|w| w.1).sum();
            let e = consumer.elasticity;
            let index: f64 =
                consumer.wants.iter().map(|(g, d)| d / all * price[*g].powf(1.0 - e)).sum();
            for (g, d) in consumer.wants {
                f[h + g] -= income[k] / index * d / all * price[*g].powf(-e);
            }
        }
        for (k, activity) in activities.iter().enumerate() {
            for (g, x) in *activity {
                f[h + g] += x * level[k];
                f[h + goods + k] -= x * price[*g];
            }
        }
    });
    made.lower = lower;
    made.upper = vec![INF; n];
    made
}

impl Classic {
    /// An unknown that is given: prices are known up to a factor.
    fn numeraire(mut self, i: usize, value: f64) -> Self {
        (self.lower[i], self.upper[i]) = (value, value);
        self.starts.iter_mut().for_each(|s| s[i] = value);
        self
    }
}

/// All of them.
pub fn economies() -> Vec<Classic> {
    vec![scarf(), hansen(), invariant_stock()]
}

/// Hansen and Koopmans 1972: a capital stock that stays as it is when consumption is optimal, with discount
/// factor 0.9. Activities x use capital A x and leave B x, and use labour c x <= 10; the numbers are our own. With
/// prices y of capital and u of labour
///
/// ```text
/// 0 <= x ⟂ (A - 0.9 B)' y + c u - grad v(x),   0 <= y ⟂ (B - A) x,   0 <= u ⟂ 10 - c x
/// ```
fn invariant_stock() -> Classic {
    const USED: [[f64; 5]; 2] = [[1.0, 2.0, 1.0, 1.0, 1.0], [2.0, 1.0, 1.0, 0.5, 1.0]];
    const MADE: [[f64; 5]; 2] = [[0.0, 0.0, 0.0, 1.5, 0.0], [0.0, 0.0, 0.0, 0.0, 1.5]];
    const LABOUR: [f64; 5] = [2.0, 3.0, 2.0, 1.0, 1.0];
    let left = |g: usize, k: usize| 0.8 * USED[g][k] + MADE[g][k];
    let starts: &[&[f64]] = &[&[1.0], &[0.1], &[1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]];
    ncp("invariant capital stock", (0, 8), starts, move |z, f| {
        let (x, y, u) = (&z[..5], &z[5..7], z[7]);
        // v = (x1 + 1.5 x2)^0.5 x3^0.3
        let (first, second) = (x[0] + 1.5 * x[1], x[2]);
        let v = first.powf(0.5) * second.powf(0.3);
        let grad = [0.5 * v / first, 0.75 * v / first, 0.3 * v / second, 0.0, 0.0];
        for k in 0..5 {
            let capital: f64 = (0..2).map(|g| (USED[g][k] - 0.9 * left(g, k)) * y[g]).sum();
            f[k] = capital + LABOUR[k] * u - grad[k];
        }
        for g in 0..2 {
            f[5 + g] = (0..5).map(|k| (left(g, k) - USED[g][k]) * x[k]).sum();
        }
        f[7] = 10.0 - (0..5).map(|k| LABOUR[k] * x[k]).sum::<f64>();
    })
}

/// Goods: capital at the end, non-durables, durables, capital at the beginning, skilled and unskilled labour.
fn scarf() -> Classic {
    let consumer = |has, wants, elasticity| Consumer { has, wants, elasticity };
    let consumers = vec![
        consumer(
            &[(2, 1.0), (3, 3.0), (4, 5.0), (5, 0.1)],
            &[(0, 4.0), (1, 2.0), (2, 3.2), (4, 0.2)],
            1.2,
        ),
        consumer(
            &[(2, 2.0), (3, 0.1), (4, 0.1), (5, 7.0)],
            &[(0, 0.4), (1, 4.0), (2, 1.0), (5, 0.6)],
            1.6,
        ),
        consumer(
            &[(2, 1.5), (3, 2.0), (4, 6.0), (5, 0.1)],
            &[(0, 2.0), (1, 2.0), (2, 1.5), (4, 0.5)],
            0.8,
        ),
        consumer(
            &[(2, 1.0), (3, 1.0), (4, 0.1), (5, 8.0)],
            &[(0, 5.0), (1, 5.0), (2, 4.5), (5, 0.2)],
            0.5,
        ),
        consumer(
            &[(2, 2.0), (3, 6.0), (4, 0.1), (5, 0.5)],
            &[(0, 3.0), (1, 4.0), (2, 2.0), (5, 0.2)],
            0.6,
        ),
    ];
    let worth = [9.1, 9.2, 9.6, 10.1, 8.6];
    let made = economy(
        "scarf activities",
        6,
        consumers,
        &[
            &[(2, 4.0), (0, 4.0), (3, -5.3), (4, -2.0), (5, -1.0)],
            &[(2, 3.5), (0, 4.0), (3, -5.0), (4, -1.0), (5, -6.0)],
            &[(1, 6.0), (0, 1.6), (3, -2.0), (4, -2.0), (5, -3.0)],
            &[(1, 8.0), (0, 1.6), (3, -2.0), (4, -4.0), (5, -1.0)],
            &[(1, 7.0), (0, 1.6), (3, -2.0), (4, -1.0), (5, -8.0)],
            &[(0, 0.9), (3, -1.0)],
            &[(0, 7.0), (3, -4.0), (4, -3.0), (5, -1.0)],
            &[(0, 8.0), (3, -5.0), (4, -2.0), (5, -8.0)],
        ],
    );
    let mut made = made.numeraire(0, worth[0]);
    // incomes begin at what endowments are worth at prices of one
    made.starts[0][..5].copy_from_slice(&worth);
    made
}

/// Goods: farm products, food, textiles, housing services, entertainment, housing and capital at the end, steel, coal,
/// lumber, housing and capital at the beginning, labour, foreign exchange. Twelve activities at home, seven
/// imports, seven exports. Published incomes: 5.1549 and 2.8275.
fn hansen() -> Classic {
    let consumer = |has, wants| Consumer { has, wants, elasticity: 1.0 };
    let consumers = vec![
        consumer(
            &[(10, 2.0), (11, 3.0), (12, 0.6)],
            &[(0, 0.1), (1, 0.2), (2, 0.1), (3, 0.1), (4, 0.1), (5, 0.3), (6, 0.1)],
        ),
        consumer(
            &[(10, 0.4), (11, 2.0), (12, 0.8)],
            &[(0, 0.2), (1, 0.2), (2, 0.1), (3, 0.1), (4, 0.1), (5, 0.1), (6, 0.2)],
        ),
        consumer(&[(12, 1.0)], &[(0, 0.3), (1, 0.2), (2, 0.3), (3, 0.1), (4, 0.1)]),
        consumer(
            &[(10, 0.8), (11, 7.5), (12, 0.6)],
            &[(0, 0.1), (1, 0.2), (2, 0.1), (3, 0.1), (4, 0.1), (5, 0.1), (6, 0.3)],
        ),
    ];
    economy("hansen activities", 14, consumers, HANSEN)
        .numeraire(4, 1.0)
        .solution(&[5.1549, 2.8275], 1e-3)
}

#[rustfmt::skip]
const HANSEN: &[Activity] = &[
    &[(0, 5.0), (6, 0.4), (1, -0.9), (2, -0.2), (3, -1.0), (7, -0.2), (8, -1.0), (9, -0.5), (11, -0.5), (12, -0.4)],
    &[(1, 5.0), (6, 1.3), (0, -3.5), (2, -0.5), (3, -2.0), (7, -0.4), (8, -0.1), (9, -0.4), (11, -1.5), (12, -0.2)],
    &[(2, 2.0), (6, 1.2), (0, -0.1), (1, -0.1), (3, -2.0), (7, -0.2), (8, -0.1), (9, -0.3), (11, -1.5), (12, -0.2)],
    &[(3, 2.0), (5, 0.32), (2, -0.1), (7, -0.1), (8, -1.0), (9, -0.3), (10, -0.4), (11, -0.1), (12, -0.02)],
    &[(4, 4.0), (0, -0.7), (1, -0.8), (2, -0.1), (3, -2.0), (11, -0.1), (12, -0.4)],
    &[(5, 0.8), (6, 1.1), (2, -0.8), (3, -0.4), (7, -1.0), (9, -3.0), (11, -1.5), (12, -0.3)],
    &[(6, 6.0), (2, -0.4), (3, -1.8), (7, -2.0), (8, -0.2), (9, -0.2), (11, -2.5), (12, -0.1)],
    &[(7, 2.0), (6, 1.8), (2, -0.1), (3, -1.6), (8, -1.0), (9, -0.2), (11, -2.5), (12, -0.1)],
    &[(8, 2.0), (6, 1.2), (2, -0.1), (3, -0.8), (7, -0.5), (9, -0.5), (11, -1.5), (12, -0.4)],
    &[(9, 1.0), (6, 0.4), (2, -0.1), (3, -0.2), (7, -0.2), (8, -0.2), (11, -0.5), (12, -0.4)],
    &[(6, 0.9), (11, -1.0)],
    &[(5, 0.36), (10, -0.4)],
    &[(0, 1.0), (3, -0.4), (11, -0.2), (12, -0.04), (13, -0.5)],
    &[(1, 1.0), (3, -0.2), (11, -0.1), (12, -0.02), (13, -0.4)],
    &[(2, 1.0), (3, -0.2), (11, -0.1), (12, -0.02), (13, -0.8)],
    &[(6, 1.0), (3, -0.4), (11, -0.2), (12, -0.04), (13, -1.2)],
    &[(7, 1.0), (3, -0.4), (11, -0.2), (12, -0.04), (13, -0.6)],
    &[(8, 1.0), (3, -0.4), (11, -0.2), (12, -0.04), (13, -0.7)],
    &[(9, 1.0), (3, -0.4), (11, -0.2), (12, -0.04), (13, -0.4)],
    &[(13, 0.5), (0, -1.0), (3, -0.2), (11, -0.2), (12, -0.04)],
    &[(13, 0.4), (1, -1.0), (3, -0.2), (11, -0.1), (12, -0.02)],
    &[(13, 0.8), (2, -1.0), (3, -0.2), (11, -0.1), (12, -0.02)],
    &[(13, 1.2), (6, -1.0), (3, -0.4), (11, -0.2), (12, -0.04)],
    &[(13, 0.6), (7, -1.0), (3, -0.4), (11, -0.2), (12, -0.04)],
    &[(13, 0.7), (8, -1.0), (3, -0.4), (11, -0.2), (12, -0.04)],
    &[(13, 0.4), (9, -1.0), (3, -0.4), (11, -0.2), (12, -0.04)],
];
