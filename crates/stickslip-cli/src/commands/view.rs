//! `stickslip view`: a scene or recordings in the browser.

use std::{path::Path, process::Command, sync::atomic::Ordering};

use clap::Args;
use stickslip::Simulator;
use stickslip_record::{Recording, Replay};
use stickslip_scene::Scene;
use stickslip_view::Server;

use crate::{
    failure::{Failure, named},
    output,
};

/// Show a scene live, or recordings, in the browser.
///
/// Serves on 127.0.0.1 only, until Ctrl-C. Several recordings are shown side by side, in sync.
#[derive(Debug, Args)]
pub struct View {
    /// A scene file, the name of a built-in scene, or one or more recordings (.h5)
    #[arg(required = true, value_name = "SCENE|RECORD.h5")]
    what: Vec<String>,
    /// Port to serve on; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Print the address without opening a browser
    #[arg(long)]
    no_open: bool,
}

impl View {
    pub fn execute(&self) -> Result<(), Failure> {
        let mut server = self.server()?;
        let url = server.url();
        output::print(&format!("{url}\n"))?;
        let stop = server.stopper();
        let heard = ctrlc::set_handler(move || {
            // A second one ends the program at once.
            if stop.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
        });
        heard.map_err(|e| Failure::Simulation(format!("cannot listen for Ctrl-C: {e}")))?;
        if !self.no_open && !opened(&url) {
            output::notice("open this address in a browser; Ctrl-C ends");
        }
        server.wait();
        Ok(())
    }

    fn server(&self) -> Result<Server, Failure> {
        let failed = |e: stickslip_view::ViewError| Failure::Simulation(e.to_string());
        if self.what.iter().all(|w| is_recording(w)) {
            let replays = self.what.iter().map(|w| Ok(replay(Path::new(w))?.for_page()));
            let replays: Vec<Replay> = replays.collect::<Result<_, Failure>>()?;
            return Server::recordings(&replays, self.port).map_err(failed);
        }
        let [name] = &self.what[..] else {
            return Err(Failure::Input(
                "give one scene, or recordings only; scenes cannot be shown side by side".into(),
            ));
        };
        let scene = Scene::open(name, &[])?;
        let simulator = Simulator::new(scene.model, scene.state, scene.settings)
            .map_err(|e| Failure::Input(format!("{name}: {e}")))?;
        Server::live(&scene.name, simulator, self.port).map_err(failed)
    }
}

/// Whether a name is that of a recording.
pub fn is_recording(name: &str) -> bool {
    name.ends_with(".h5") || name.ends_with(".hdf5")
}

/// A recording for the viewer and the exports; a file that cannot be read is bad input.
pub fn replay(path: &Path) -> Result<Replay, Failure> {
    Recording::open(path).and_then(|r| r.replay()).map_err(|e| Failure::Input(named(path, &e)))
}

/// Whether a browser could be asked to open the address.
fn opened(url: &str) -> bool {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    Command::new(opener).arg(url).status().is_ok_and(|status| status.success())
}
