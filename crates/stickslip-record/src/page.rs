//! Reports as HTML pages that need nothing else: no script, no other file.

const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;color:#22262c;max-width:64rem;margin:2rem auto;padding:0 1.2rem}\
h1{font-size:1.7rem;margin:.2rem 0}h2{font-size:1.2rem;margin:2rem 0 .6rem}\
a{color:#2a5d9c}p.source{color:#5a606a;margin-top:0}\
table{border-collapse:collapse;font-size:.92rem;margin:.4rem 0 1rem}\
th,td{border-bottom:1px solid #dfe3e8;padding:.3rem .8rem .3rem 0;text-align:left;vertical-align:top}\
th{color:#5a606a;font-weight:600}td.n{font-variant-numeric:tabular-nums}\
table.numbers td,table.numbers th{text-align:right;font-variant-numeric:tabular-nums}\
table.numbers td:first-child,table.numbers th:first-child,table.numbers td.text{text-align:left}\
figure{margin:0 0 1.4rem}figcaption{color:#5a606a;font-size:.92rem}\
code{font-size:.92em;background:#f2f4f7;padding:0 .2em}img,svg{max-width:100%;height:auto}\
.pictures{display:flex;flex-wrap:wrap;gap:1rem}.pictures figure{flex:1 1 18rem;max-width:24rem}\
.pictures img{border:1px solid #dfe3e8;width:100%}\
.reproduced{color:#1d7a35;font-weight:600}.differs,td.no{color:#b3372a}.differs{font-weight:600}\
ul{padding-left:1.2rem}.scroll{overflow-x:auto}summary{cursor:pointer}p.note{color:#5a606a;font-size:.92rem}\
td.why{color:#5a606a;text-align:left!important}\
@media(prefers-color-scheme:dark){body{background:#12161d;color:#e4e8ef}a{color:#8db4ff}\
p.source,th,figcaption,p.note,td.why{color:#a7b1c2}th,td{border-color:#2b3442}code{background:#1d2430}\
figure>img,body>svg{filter:invert(.93) hue-rotate(180deg)}.pictures img{border-color:#2b3442}\
.reproduced{color:#69cf85}.differs,td.no{color:#ff8d80}}\
@media(max-width:40rem){body{margin:1rem auto}}";

/// Text as it stands in HTML, in attributes too.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A whole page around its body.
pub fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape(title)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_user_named_cannot_leave_its_place() {
        let title = "a<script>\"&";
        assert!(page(title, "").contains("<title>a&lt;script&gt;&quot;&amp;</title>"));
    }
}
