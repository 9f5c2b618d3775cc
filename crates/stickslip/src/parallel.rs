//! Lists of bodies and pairs, shared among threads.
//!
//! What comes back stands in the order of the list, whoever made it: the bits are those of one thread.

use std::ops::Range;

pub(crate) use complementarity::threads::Threads;
use rayon::prelude::*;

/// Speed: items from which on a list is shared; less takes some 0.1 ms.
pub(crate) const MANY: usize = 128;
/// Speed: items per unit of work.
const CHUNK: usize = 32;

/// What `each` makes of every item.
pub(crate) fn map<T: Sync, R: Send>(
    threads: &Threads,
    items: &[T],
    each: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    if threads.is_one() || items.len() < MANY {
        return items.iter().map(each).collect();
    }
    threads.run(|| items.par_iter().with_min_len(CHUNK).map(&each).collect())
}

/// The largest that `each` makes of the items, which it may change; 0 where all is less.
pub(crate) fn largest<T: Send>(
    threads: &Threads,
    items: &mut [T],
    each: impl Fn(&mut T) -> f64 + Sync,
) -> f64 {
    if threads.is_one() || items.len() < MANY {
        return items.iter_mut().map(each).fold(0.0, f64::max);
    }
    let most = || {
        let all = items.par_iter_mut().with_min_len(CHUNK).map(&each);
        all.reduce(|| 0.0, f64::max)
    };
    threads.run(most)
}

/// What `each` adds to a list for every item, in their order, and the number of the item that added each.
pub(crate) fn collect<T: Sync, R: Send>(
    threads: &Threads,
    items: &[T],
    each: impl Fn(&T, &mut Vec<R>) + Sync,
) -> (Vec<R>, Vec<usize>) {
    let some = |first: usize, items: &[T]| {
        let (mut out, mut owner) = (Vec::new(), Vec::new());
        for (k, item) in items.iter().enumerate() {
            each(item, &mut out);
            owner.resize(out.len(), first + k);
        }
        (out, owner)
    };
    if threads.is_one() || items.len() < MANY {
        return some(0, items);
    }
    let chunk = |(k, items): (usize, &[T])| some(k * CHUNK, items);
    let parts: Vec<_> = threads.run(|| items.par_chunks(CHUNK).enumerate().map(chunk).collect());
    let (mut out, mut owner) = (Vec::new(), Vec::new());
    for (mut more, mut owners) in parts {
        out.append(&mut more);
        owner.append(&mut owners);
    }
    (out, owner)
}

/// What `each` makes of ranges that follow each other and make up `0..n`; of the whole on one thread.
pub(crate) fn ranges<R: Send>(
    threads: &Threads,
    n: usize,
    each: impl Fn(Range<usize>) -> R + Sync,
) -> Vec<R> {
    if threads.is_one() || n < MANY {
        return vec![each(0..n)];
    }
    let range = |k: usize| each(MANY * k..n.min(MANY * (k + 1)));
    threads.run(|| (0..n.div_ceil(MANY)).into_par_iter().map(range).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists come back in order, and are the same on any number of threads.
    #[test]
    fn lists_keep_their_order() {
        for n in [0, 5, MANY, 1003] {
            let items: Vec<usize> = (0..n).collect();
            for count in [1, 2, 3, 8] {
                let mut threads = Threads::default();
                threads.choose(count);
                let doubled = map(&threads, &items, |x| 2 * x);
                assert!(doubled.iter().copied().eq((0..n).map(|x| 2 * x)));
                let some =
                    |x: &usize, out: &mut Vec<usize>| out.extend(std::iter::repeat_n(2 * x, x % 3));
                let (all, owner) = collect(&threads, &items, some);
                assert!(owner.iter().copied().eq((0..n).flat_map(|k| vec![k; k % 3])));
                assert!(all.iter().copied().eq(owner.iter().map(|k| 2 * k)));
                let parts = ranges(&threads, n, |range| range);
                assert!(parts.into_iter().flatten().eq(0..n));
                let mut seen = items.clone();
                let most = largest(&threads, &mut seen, |x| {
                    *x += 1;
                    *x as f64
                });
                assert_eq!((most, seen.last().copied()), (n as f64, (n > 0).then_some(n)));
            }
        }
    }
}
