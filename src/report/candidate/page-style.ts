import { baseStyle } from '../page/style.js';

/** The baseline and the candidate differ in lightness and in their labels as well as in color. */
export const style = `${baseStyle}
:root{--old:#9f1f1414;--old-mark:#9f1f1433;--new:#3c6ff014;--new-mark:#3c6ff03d}
@media (prefers-color-scheme:dark){:root{--old:#f26b4a1f;--old-mark:#f26b4a52;--new:#5b8cff1f;--new-mark:#5b8cff5c}}
main,footer{max-width:960px}
h2{margin:40px 0 12px;font-size:18px;letter-spacing:-.01em;overflow-wrap:anywhere}
h2 b{margin-right:8px;font-weight:500;color:var(--quiet)}
h2 small{margin-left:8px;font-size:13px;font-weight:400;letter-spacing:0;color:var(--quiet);white-space:nowrap}
code,.value,.versions dd{font:13px/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.versions{display:grid;grid-template-columns:88px minmax(0,1fr);gap:2px 8px;margin-top:10px}
.versions dt{font-size:13px;color:var(--quiet)}
.versions dd{overflow-wrap:anywhere}
.when{margin-top:8px}
.bar{display:flex;gap:2px;height:8px;margin-top:18px;border-radius:4px;overflow:hidden;background:var(--grid)}
.bar i{min-width:4px}
.bar .same{background:var(--good)}.bar .different{background:var(--retry)}.bar .failed{background:var(--failed)}
.facts{margin:16px 0 24px}
.facts dd{font-size:22px}
.difference{margin-bottom:12px;padding:16px 18px;border:1px solid var(--line);border-left:3px solid var(--retry);border-radius:10px}
.difference.failed{border-left-color:var(--failed)}
.difference header{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 10px}
.difference h3{margin:0;font:600 14px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.difference .note{margin-left:auto;white-space:nowrap}
.kind{flex:none;padding:1px 9px;border:1px solid var(--line);border-radius:11px;font-size:12px;line-height:18px;color:var(--quiet);white-space:nowrap}
.values{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:8px;margin-top:12px}
.values dt{margin-bottom:4px;font-size:12px;color:var(--quiet)}
.value{margin:0;padding:8px 10px;max-height:220px;overflow:auto;border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere}
.value:focus-visible{outline:2px solid var(--good);outline-offset:-2px}
.old{background:var(--old)}.new{background:var(--new)}
.value mark{border-radius:3px;color:inherit}
.old mark{background:var(--old-mark)}.new mark{background:var(--new-mark)}
.none{color:var(--quiet);font-style:italic}
details{margin-top:10px}
summary{display:inline-block;font-size:13px;color:var(--quiet);text-decoration:underline;text-underline-offset:3px;cursor:pointer}
summary:focus-visible{outline:2px solid var(--good);outline-offset:2px}
details pre{margin-top:8px}
.places{margin:0;padding:0;list-style:none}
.places li{padding:10px 0;border-top:1px solid var(--line);overflow-wrap:anywhere}
.places li:first-child{border-top:0}
.places b{font-weight:500}
.places code{display:inline-block;margin:4px 6px 0 0;padding:0 6px;border-radius:4px;background:var(--grid)}
footer{padding-top:32px}
@media (max-width:560px){.hero strong{font-size:44px}.values{grid-template-columns:minmax(0,1fr)}.difference{padding:14px}.difference .note{margin-left:0}.facts{display:grid;grid-template-columns:repeat(2,minmax(0,1fr))}.facts div:last-child{grid-column:1/-1}}
@media print{.difference{break-inside:avoid}.value,pre{max-height:none}h2{break-after:avoid}details::details-content{content-visibility:visible;height:auto;block-size:auto}}
`;
