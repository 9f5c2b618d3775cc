//! Reports as HTML pages without scripts.

use stickslip_record::page::{escape, page};

use crate::{Experiment, Report, Table, Verdict};

/// Text for the page; what stands between backquotes is code.
fn prose(text: &str) -> String {
    let parts: Vec<String> = escape(text).split('`').map(str::to_owned).collect();
    let code = |(k, part): (usize, &String)| match k % 2 == 1 && k + 1 < parts.len() {
        true => format!("<code>{part}</code>"),
        false => part.clone(),
    };
    parts.iter().enumerate().map(code).collect()
}

fn verdict(verdict: Verdict) -> String {
    format!("<span class=\"{0}\">{0}</span>", verdict.word())
}

fn claims(report: &Report) -> String {
    let mut out = String::from(
        "<h2>Claims</h2>\n<table>\n<tr><th>the paper says</th><th>we measure</th><th></th></tr>\n",
    );
    for claim in &report.claims {
        let (paper, ours) = (prose(&claim.paper), prose(&claim.ours));
        let word = verdict(claim.verdict);
        out.push_str(&format!("<tr><td>{paper}</td><td>{ours}</td><td>{word}</td></tr>\n"));
    }
    out.push_str("</table>\n");
    out
}

fn table(table: &Table) -> String {
    let caption = escape(&table.caption);
    let mut out = format!("<p>{caption} (<a href=\"{0}.csv\">CSV</a>)</p>\n", table.name);
    out.push_str("<div class=\"scroll\"><table>\n<tr>");
    table.head.iter().for_each(|h| out.push_str(&format!("<th>{}</th>", escape(h))));
    out.push_str("</tr>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        row.iter().for_each(|c| out.push_str(&format!("<td class=\"n\">{}</td>", escape(c))));
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
    out
}

/// The page of one experiment.
pub(crate) fn report_page(report: &Report) -> String {
    let mut body = format!(
        "<p><a href=\"../index.html\">All experiments</a></p>\n<h1>{}</h1>\n\
         <p class=\"source\">{}</p>\n<p>{}</p>\n",
        escape(&report.title),
        escape(&report.source),
        prose(&report.about)
    );
    body.push_str(&claims(report));
    if !report.pictures.is_empty() {
        body.push_str("<h2>Pictures</h2>\n<div class=\"pictures\">\n");
        for p in &report.pictures {
            let (name, caption) = (&p.name, escape(&p.caption));
            body.push_str(&format!(
                "<figure><img src=\"{name}.svg\" alt=\"{caption}\">\
                 <figcaption>{caption}</figcaption></figure>\n"
            ));
        }
        body.push_str("</div>\n");
    }
    if !report.figures.is_empty() {
        body.push_str("<h2>Plots</h2>\n");
        for f in &report.figures {
            let (name, caption) = (&f.name, escape(&f.caption));
            body.push_str(&format!(
                "<figure><img src=\"{name}.svg\" alt=\"{caption}\"><figcaption>{caption} \
                 (<a href=\"{name}.png\">PNG</a>, <a href=\"{name}.csv\">CSV</a>)</figcaption>\
                 </figure>\n"
            ));
        }
    }
    if !report.tables.is_empty() {
        body.push_str("<h2>Tables</h2>\n");
        report.tables.iter().for_each(|t| body.push_str(&table(t)));
    }
    body.push_str("<h2>How it was done</h2>\n<ul>\n");
    report.setup.iter().for_each(|s| body.push_str(&format!("<li>{}</li>\n", prose(s))));
    if !report.seeds.is_empty() {
        let seeds: Vec<String> = report.seeds.iter().map(u64::to_string).collect();
        body.push_str(&format!("<li>Seeds of the random numbers: {}.</li>\n", seeds.join(", ")));
    }
    let kind = if report.quick { "A quick run: fewer or shorter trials" } else { "A full run" };
    body.push_str(&format!(
        "<li>{kind}; its runs took {:.1} s, one after the other.</li>\n</ul>\n",
        report.seconds
    ));
    page(&report.title, &body)
}

/// The page that lists all.
pub(crate) fn index_page(
    reports: &[(&Experiment, &Report)],
    (seconds, cores): (f64, usize),
) -> String {
    let (held, all) = reports.iter().fold((0, 0), |(a, b), (_, r)| {
        let (held, all) = r.score();
        (a + held, b + all)
    });
    let quick = reports.iter().any(|(_, r)| r.quick);
    let kind = if quick { "Quick runs" } else { "Full runs" };
    let mut body = format!(
        "<h1>The papers' experiments on Stickslip</h1>\n<p>{kind}, {seconds:.0} s on {cores} cores, version \
         {}. {held} of {all} claims are reproduced; verdicts are computed from the numbers on each \
         page.</p>\n<table>\n<tr><th>experiment</th><th>source</th><th>claims</th>\
         <th>work</th></tr>\n",
        env!("CARGO_PKG_VERSION")
    );
    for (experiment, report) in reports {
        let (held, all) = report.score();
        let class = if held == all { "reproduced" } else { "differs" };
        body.push_str(&format!(
            "<tr><td><a href=\"{}/index.html\">{}</a></td><td>{}</td>\
             <td class=\"{class}\">{held} of {all}</td><td class=\"n\">{:.1} s</td></tr>\n",
            experiment.name,
            escape(experiment.title),
            escape(experiment.source),
            report.seconds
        ));
    }
    body.push_str("</table>\n<h2>What differs</h2>\n<ul>\n");
    let mut none = true;
    for (experiment, report) in reports {
        for claim in report.claims.iter().filter(|c| c.verdict == Verdict::Differs) {
            none = false;
            body.push_str(&format!(
                "<li><a href=\"{}/index.html\">{}</a>: {} We measure: {}</li>\n",
                experiment.name,
                escape(experiment.title),
                prose(&claim.paper),
                prose(&claim.ours)
            ));
        }
    }
    if none {
        body.push_str("<li>Nothing.</li>\n");
    }
    body.push_str("</ul>\n");
    page("The papers' experiments on Stickslip", &body)
}
