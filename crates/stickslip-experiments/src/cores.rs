//! Cores that the runs of all experiments share.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Instant,
};

use crate::{Context, ExperimentError};

/// How many runs may be under way at once, and whether they should stop.
///
/// Whoever works holds one core, and gives it back while it waits for others.
pub struct Cores {
    count: usize,
    line: Mutex<Line>,
    moved: Condvar,
    stop: Arc<AtomicBool>,
}

/// Cores that nobody uses, and those who wait for one: first come, first served.
#[derive(Default)]
struct Line {
    free: usize,
    waiting: VecDeque<u64>,
    /// The number of the next to come.
    next: u64,
}

impl Cores {
    /// That many cores; all of the machine if 0. Runs end soon after `stop` is set.
    pub fn new(count: usize, stop: Arc<AtomicBool>) -> Self {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        let count = if count == 0 { all() } else { count };
        let line = Mutex::new(Line { free: count, ..Line::default() });
        Self { count, line, moved: Condvar::new(), stop }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Half of them, at least one, with the same sign to stop: for runs whose times are measured.
    pub(crate) fn half(&self) -> Self {
        Self::new((self.count / 2).max(1), Arc::clone(&self.stop))
    }

    /// Whether all should stop.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a core. Those who hold one see the sign to stop and give it back soon.
    fn take(&self) {
        let mut line = self.lock();
        let mine = line.next;
        line.next += 1;
        line.waiting.push_back(mine);
        while line.free == 0 || line.waiting.front() != Some(&mine) {
            line = self.moved.wait(line).unwrap_or_else(PoisonError::into_inner);
        }
        line.waiting.pop_front();
        line.free -= 1;
        self.moved.notify_all();
    }

    fn give(&self) {
        self.lock().free += 1;
        self.moved.notify_all();
    }

    /// Lets those who wait go first, so that a short experiment need not wait for a long one.
    fn turn(&self) {
        if !self.lock().waiting.is_empty() {
            self.give();
            self.take();
        }
    }

    /// Holds a core while it lives.
    pub(crate) fn hold(&self) -> Held<'_> {
        self.take();
        Held(self)
    }
}

/// A core in use, given back when dropped.
pub(crate) struct Held<'a>(&'a Cores);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.give();
    }
}

/// The core of the caller, given back until this is dropped.
struct Lent<'a>(&'a Cores);

impl<'a> Lent<'a> {
    fn new(cores: &'a Cores) -> Self {
        cores.give();
        Self(cores)
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.0.take();
    }
}

/// Items that are handed out one after the other, until one fails.
struct Queue<'a, T> {
    items: &'a [T],
    next: AtomicUsize,
    failed: AtomicBool,
}

/// Places of items and what became of them.
type Done<R> = Vec<(usize, Result<R, ExperimentError>)>;

impl<T> Queue<'_, T> {
    /// Works until nothing is left.
    fn work<R>(
        &self,
        context: &Context,
        job: &impl Fn(&T) -> Result<R, ExperimentError>,
    ) -> Done<R> {
        let mut done = Vec::new();
        while !self.failed.load(Ordering::SeqCst) {
            let k = self.next.fetch_add(1, Ordering::SeqCst);
            let Some(item) = self.items.get(k) else { break };
            let begin = Instant::now();
            context.cores.turn();
            context.spend(-begin.elapsed().as_secs_f64());
            let result = job(item);
            self.failed.fetch_or(result.is_err(), Ordering::SeqCst);
            done.push((k, result));
        }
        done
    }
}

impl Context<'_> {
    /// What `job` makes of each item, in their order, on as many cores as are free. Of several
    /// errors the one of the first item counts: it does not depend on the number of cores.
    pub(crate) fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        job: impl Fn(&T) -> Result<R, ExperimentError> + Sync,
    ) -> Result<Vec<R>, ExperimentError> {
        let queue = Queue { items, next: AtomicUsize::new(0), failed: AtomicBool::new(false) };
        let helpers = match self.alone {
            true => 0,
            false => self.cores.count().min(items.len()).saturating_sub(1),
        };
        let mut all = std::thread::scope(|scope| {
            let helper = || {
                let _core = self.cores.hold();
                let begin = Instant::now();
                let done = queue.work(self, &job);
                self.spend(begin.elapsed().as_secs_f64());
                done
            };
            let helpers: Vec<_> = (0..helpers).map(|_| scope.spawn(helper)).collect();
            let mut all = queue.work(self, &job);
            let begin = Instant::now();
            let lent = Lent::new(self.cores);
            for helper in helpers {
                all.extend(helper.join().unwrap_or_else(|p| std::panic::resume_unwind(p)));
            }
            drop(lent);
            self.spend(-begin.elapsed().as_secs_f64());
            all
        });
        all.sort_by_key(|done| done.0);
        all.into_iter().map(|done| done.1).collect()
    }

    /// An error once all should stop; asked in every step of a run.
    pub(crate) fn go_on(&self) -> Result<(), ExperimentError> {
        if self.cores.stopped() { Err(ExperimentError::Interrupted) } else { Ok(()) }
    }

    /// Adds to the time of all work so far \[s\].
    pub(crate) fn spend(&self, seconds: f64) {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner) += seconds;
    }
}
