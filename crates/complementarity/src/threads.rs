//! Threads that large problems are shared among.
//!
//! Results never depend on their number: work is cut into parts by the problem alone, parts that go on at
//! the same time touch different memory, and what they return is put together in the order of the parts.
//! Without the feature `parallel` there is one thread, and the same bits.

#[cfg(all(feature = "parallel", not(target_arch = "wasm32")))]
pub use many::Threads;
#[cfg(all(feature = "parallel", not(target_arch = "wasm32")))]
pub(crate) use many::join;
#[cfg(not(all(feature = "parallel", not(target_arch = "wasm32"))))]
pub use one::Threads;
#[cfg(not(all(feature = "parallel", not(target_arch = "wasm32"))))]
pub(crate) use one::join;

#[cfg(all(feature = "parallel", not(target_arch = "wasm32")))]
mod many {
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex, OnceLock, Weak};

    use rayon::ThreadPool;

    /// What the threads of a process are known by: processes that fork leave theirs behind.
    type Key = (u32, usize);

    /// Some threads; all that ask for as many share them while one of these lives.
    #[derive(Clone, Debug, Default)]
    pub struct Threads {
        key: Option<Key>,
        pool: Option<Arc<ThreadPool>>,
    }

    impl Threads {
        /// Takes that many, 0 for all cores. Threads are started when the first asks for them; where
        /// the system refuses, there is one.
        pub fn choose(&mut self, count: usize) {
            let key = (if count == 1 { 0 } else { std::process::id() }, count);
            if self.key != Some(key) {
                (self.key, self.pool) = (Some(key), if count == 1 { None } else { shared(key) });
            }
        }

        /// Whether there is but one.
        pub fn is_one(&self) -> bool {
            self.pool.is_none()
        }

        /// Does something on these threads, which it may divide among them by `rayon`.
        pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
            match &self.pool {
                Some(pool) => pool.install(work),
                None => work(),
            }
        }
    }

    /// Both, at the same time if there is a thread to spare and `many`.
    #[inline]
    pub(crate) fn join<A: Send, B: Send>(
        many: bool,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        if many { rayon::join(a, b) } else { (a(), b()) }
    }

    /// The pool of that key, made if nobody has it.
    fn shared(key: Key) -> Option<Arc<ThreadPool>> {
        static POOLS: OnceLock<Mutex<BTreeMap<Key, Weak<ThreadPool>>>> = OnceLock::new();
        let pools = POOLS.get_or_init(Mutex::default);
        let mut pools = pools.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        pools.retain(|_, pool| pool.strong_count() > 0);
        if let Some(pool) = pools.get(&key).and_then(Weak::upgrade) {
            return Some(pool);
        }
        let made = rayon::ThreadPoolBuilder::new().num_threads(key.1).build().ok()?;
        // one core
        if made.current_num_threads() == 1 {
            return None;
        }
        let made = Arc::new(made);
        pools.insert(key, Arc::downgrade(&made));
        Some(made)
    }
}

#[cfg(not(all(feature = "parallel", not(target_arch = "wasm32"))))]
mod one {
    /// One thread.
    #[derive(Clone, Debug, Default)]
    pub struct Threads;

    impl Threads {
        /// There is one.
        pub fn choose(&mut self, _count: usize) {}

        /// There is one.
        pub fn is_one(&self) -> bool {
            true
        }

        /// Does something.
        pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
            work()
        }
    }

    /// Both, one after the other.
    #[inline]
    pub(crate) fn join<A: Send, B: Send>(
        _many: bool,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        (a(), b())
    }
}
