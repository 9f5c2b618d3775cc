//! Many independent runs on all cores, their results in the order of the runs.

use std::{
    collections::BTreeMap,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

/// Runs `work` on every job with as many threads as asked for, and hands the results to `sink` in
/// the order of the jobs, each as soon as it and all before it are there.
pub fn in_order<J: Sync, R: Send>(
    jobs: &[J],
    threads: usize,
    work: impl Fn(&J) -> R + Sync,
    mut sink: impl FnMut(&J, R),
) {
    let (next, (send, receive)) = (AtomicUsize::new(0), mpsc::channel());
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            let (next, work, send) = (&next, &work, send.clone());
            scope.spawn(move || {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(k) else { break };
                    if send.send((k, work(job))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let (mut waiting, mut first) = (BTreeMap::new(), 0);
        for (k, result) in receive {
            waiting.insert(k, result);
            while let Some(result) = waiting.remove(&first) {
                sink(&jobs[first], result);
                first += 1;
            }
        }
    });
}
