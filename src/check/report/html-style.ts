import { baseStyle } from '../../report/page/style.js';
import { frameworks } from '../fixes/frameworks.js';

/** The framework that is chosen once, above the problems, decides which code is shown with each. */
const chosen = frameworks
  .map(
    (_, i) => `#f${i}:checked~.problems .f${i}{display:block}
#f${i}:checked~.picker label[for=f${i}]{background:var(--ink);color:var(--page);border-color:var(--ink)}
#f${i}:focus-visible~.picker label[for=f${i}]{outline:2px solid var(--good);outline-offset:2px}`,
  )
  .join('\n');

export const style = `${baseStyle}
main{max-width:880px}
footer{max-width:880px}
a{color:inherit}
.hero{gap:4px 20px;padding-top:10px}
.hero b{font-size:18px;font-weight:400;color:var(--quiet)}
.verdict{font-size:18px;font-weight:500;letter-spacing:-.01em}
.url{margin-top:4px;font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.bar{display:flex;gap:2px;height:8px;margin:18px 0 0;border-radius:4px;overflow:hidden;background:var(--grid)}
.bar i{min-width:4px}
.bar .fail{background:var(--failed)}.bar .warn{background:var(--retry)}.bar .pass{background:var(--good)}.bar .na,.bar .info{background:var(--line)}
.facts{margin:16px 0 32px}
.facts dd{font-size:22px}
.caveat{margin-bottom:24px}
h2{margin:36px 0 12px;font-size:18px;letter-spacing:-.01em}
.mark{display:inline-block;flex:none;width:20px;height:20px;border-radius:50%;font:600 12px/20px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;text-align:center;color:var(--page)}
.mark.fail{background:var(--failed)}.mark.warn{background:var(--retry)}.mark.pass{background:var(--good)}
.mark.na,.mark.info{background:none;color:var(--quiet);box-shadow:inset 0 0 0 1px var(--line)}
.pick{position:absolute;opacity:0;pointer-events:none}
.picker{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;align-items:center;gap:6px;margin:0 -4px 12px;padding:10px 4px;background:var(--page);border-bottom:1px solid var(--line)}
.picker span{margin-right:6px;font-size:13px;color:var(--quiet)}
.picker label{padding:3px 11px;border:1px solid var(--line);border-radius:14px;font-size:13px;cursor:pointer;white-space:nowrap}
.picker label:hover{border-color:var(--quiet)}
.problem{margin-bottom:20px;padding:20px 22px;border:1px solid var(--line);border-radius:10px;scroll-margin-top:64px}
.problem.fail{border-left:3px solid var(--failed)}.problem.warn{border-left:3px solid var(--retry)}
.problem header{display:flex;gap:12px;align-items:flex-start}
.problem header .mark{margin-top:2px}
.problem h3{margin:0;font-size:16px;font-weight:600;letter-spacing:-.005em;line-height:1.5}
.id{font:12px/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:var(--quiet);overflow-wrap:anywhere}
.found{scroll-margin-top:64px}
.found+.found,.more .found{margin-top:6px}
.found p{margin:0;overflow-wrap:anywhere}
.found p:first-child{font-weight:500}
.more{margin-top:6px;border:0}
.more.more:last-of-type{border:0}
.more summary{display:inline-block;padding:0;font-size:13px;color:var(--quiet);text-decoration:underline;text-underline-offset:3px}
.more.more summary::after{display:none}
.problem dl{display:grid;grid-template-columns:64px minmax(0,1fr);gap:12px 8px;margin-top:14px}
.problem dt{color:var(--quiet);font-size:13px;line-height:21px}
.problem pre{max-height:320px;tab-size:4}
.code{display:none}
.code b,.sheet b{font-weight:500;font-size:12px;color:var(--quiet);display:block;margin-bottom:4px}
details{margin-bottom:0;border-top:1px solid var(--line)}
details:last-of-type{border-bottom:1px solid var(--line)}
summary{display:flex;gap:12px;align-items:center;padding:9px 4px;cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
summary b{font-weight:500;min-width:104px}
summary span:last-child{color:var(--quiet);font-size:13px}
summary::after{content:"";margin-left:auto;width:7px;height:7px;margin-right:6px;border:solid var(--quiet);border-width:0 1.5px 1.5px 0;transform:rotate(45deg)}
details[open] summary::after{transform:rotate(225deg)}
summary:focus-visible,.problem pre:focus-visible{outline:2px solid var(--good);outline-offset:-1px}
.checks{list-style:none;margin:0 0 14px;padding:0 0 0 4px}
.checks li{display:grid;grid-template-columns:20px minmax(0,1fr);gap:2px 12px;padding:5px 0}
.checks p{overflow-wrap:anywhere}
.checks .id{margin-left:8px}
.checks .note{grid-column:2}
.checks .mark{transform:scale(.8)}
footer{padding-top:32px}
${chosen}
@media (max-width:560px){.hero strong{font-size:44px}.hero{padding-top:4px}.facts{margin-bottom:24px;grid-template-columns:repeat(2,minmax(0,1fr))}.problem{padding:16px 14px}.problem dl{grid-template-columns:minmax(0,1fr);gap:2px}.problem dd{margin-bottom:10px}.picker{position:static}.checks .id{display:block;margin-left:0}summary b{min-width:84px}}
@media print{.picker{display:none}.problem{break-inside:avoid-page;padding:14px 16px}.problem pre{max-height:none}summary::after{display:none}h2{break-after:avoid}details::details-content{content-visibility:visible;height:auto;block-size:auto}}
`;
