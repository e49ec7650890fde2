/** The page of a report: one file without scripts, and without anything from elsewhere. */
import { xmlText } from '../../../output/escape.ts';

export interface ReportPage {
  readonly title: string;
  /** When and from where the data were read. */
  readonly subtitle: string;
  readonly sections: readonly PageSection[];
}

export interface PageSection {
  readonly title: string;
  readonly html: string;
}

export function reportPage({ title, subtitle, sections }: ReportPage): string {
  const links = sections.map((section, index) => `<li><a href="#s${index + 1}">${xmlText(section.title)}</a></li>`);
  const parts = sections.map(
    (section, index) => `<section id="s${index + 1}">\n<h2>${xmlText(section.title)}</h2>\n${section.html}\n</section>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="svc">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${xmlText(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${xmlText(title)}</h1>
<p class="note">${xmlText(subtitle)}</p>
${sections.length > 1 ? `<nav><ul>${links.join('')}</ul></nav>` : ''}
</header>
<main>
${parts.join('\n')}
</main>
</body>
</html>
`;
}

/** The colors are those of the charts; paper has the light ones. On a phone, a row of a table is a list of its cells with their headers. */
const STYLE = `
:root{color-scheme:light dark;--page:#fff;--ink:#1b1f24;--pale:#57606a;--grid:#d8dee4;--good:#116329;--warn:#8a4600;--bad:#b3261e;--link:#0a58ca}
@media (prefers-color-scheme:dark){:root{--page:#0d1117;--ink:#e6edf3;--pale:#9da7b3;--grid:#30363d;--good:#4ac26b;--warn:#e0a030;--bad:#ff8182;--link:#79b8ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:66rem;padding:1.25rem 1rem 3rem;background:var(--page);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.25;margin:0}
h2{font-size:1.2rem;line-height:1.3;margin:2.5rem 0 .5rem;padding-top:.75rem;border-top:1px solid var(--grid)}
a{color:var(--link)}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;padding:0;list-style:none}
figure{margin:0}
figure svg{display:block;width:100%;height:auto}
.narrow{display:none}
.table{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
th,td{padding:.35rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--grid);overflow-wrap:normal}
th{color:var(--pale);font-weight:600;white-space:nowrap}
td:not(:first-child){white-space:nowrap}
td:first-child{min-width:9rem}
.right{text-align:right}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}
dt{color:var(--pale)}
dd{margin:0}
.note{color:var(--pale);font-size:.9rem;margin:.5rem 0}
.dim{color:var(--pale)}
.good{color:var(--good)}
.warn{color:var(--warn)}
.bad{color:var(--bad)}
.strong{font-weight:600}
.failure{border-left:.25rem solid var(--bad);padding:.25rem .75rem;margin:.5rem 0}
@media screen and (max-width:40rem){
.wide,thead{display:none}
.narrow{display:block}
table,tbody{display:block}
tr{display:block;padding:.5rem 0;border-bottom:1px solid var(--grid)}
td,td:not(:first-child){display:flex;justify-content:space-between;gap:1rem;padding:.1rem 0;border:0;white-space:normal;text-align:right}
td::before{content:attr(data-label);color:var(--pale);text-align:left}
td:first-child{font-weight:600;text-align:left}
td:first-child::before{content:none}
td:empty{display:none}
}
@media print{
:root{color-scheme:light;--page:#fff;--ink:#000;--pale:#444;--grid:#bbb;--good:#116329;--warn:#8a4600;--bad:#b3261e}
body{max-width:none;padding:0;font-size:10pt}
nav{display:none}
.table{overflow:visible}
figure,tr,h2{break-inside:avoid}
h2{break-after:avoid}
th,td:not(:first-child){white-space:normal}
.svc-page{fill:#fff}.svc-ink{fill:#000}.svc-pale{fill:#444}.svc-grid{stroke:#bbb}.svc-note{stroke:#fff}
}
`;
