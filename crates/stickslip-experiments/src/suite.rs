//! Several experiments at once.

use std::{path::Path, sync::mpsc};

use crate::{Context, Cores, Experiment, ExperimentError, Report, write_report};

/// How to run experiments.
pub struct Suite<'a> {
    /// Fewer and shorter runs.
    pub quick: bool,
    /// Where the pages go, one folder for each experiment.
    pub out: &'a Path,
    /// What they run on.
    pub cores: &'a Cores,
    /// Called with what is being done.
    pub note: &'a (dyn Fn(&str) + Sync),
}

impl Suite<'_> {
    /// Runs them and writes their pages. Those that measure times come last, on half of the cores
    /// and each on one. `finished` hears of each as it ends; the reports are in the order of
    /// `chosen`. After an error, or where they were stopped, the others' pages are there.
    pub fn run(
        &self,
        chosen: &[&'static Experiment],
        finished: &mut dyn FnMut(&Experiment, &Report),
    ) -> Result<Vec<Report>, ExperimentError> {
        let mut reports: Vec<Option<Report>> = chosen.iter().map(|_| None).collect();
        let half = self.cores.half();
        for (timed, cores) in [(false, self.cores), (true, &half)] {
            let part: Vec<usize> =
                (0..chosen.len()).filter(|&k| chosen[k].timed == timed).collect();
            let (tell, told) = mpsc::channel();
            let mut wrong: Option<(usize, ExperimentError)> = None;
            std::thread::scope(|scope| {
                for &k in &part {
                    let tell = tell.clone();
                    scope.spawn(move || {
                        // Fails only if nobody listens any more, and the result is wanted no more.
                        let _ = tell.send((k, self.one(chosen[k], cores)));
                    });
                }
                drop(tell);
                for (k, result) in told {
                    match result {
                        Ok(report) => {
                            finished(chosen[k], &report);
                            reports[k] = Some(report);
                        }
                        Err(error) => {
                            if wrong.as_ref().is_none_or(|(first, _)| k < *first) {
                                wrong = Some((k, error));
                            }
                        }
                    }
                }
            });
            if let Some((_, error)) = wrong {
                return Err(error);
            }
        }
        Ok(reports.into_iter().flatten().collect())
    }

    fn one(&self, experiment: &Experiment, cores: &Cores) -> Result<Report, ExperimentError> {
        let folder = self.out.join(experiment.name);
        let context = Context::new(self.quick, &folder, cores, self.note);
        let report = experiment.run(&context)?;
        write_report(&report, &folder)?;
        Ok(report)
    }
}
