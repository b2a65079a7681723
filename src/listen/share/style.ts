import { baseStyle } from '../../report/page/style.js';

export const style = `${baseStyle}
main,footer{max-width:960px}
.verdicts{margin-bottom:24px}
.request{margin-bottom:12px;border:1px solid var(--line);border-radius:10px;overflow:hidden}
summary{display:grid;grid-template-columns:52px minmax(0,1fr) auto auto;gap:2px 14px;align-items:baseline;padding:12px 16px;cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
summary:focus-visible{outline:2px solid var(--good);outline-offset:-2px}
summary:hover{background:var(--grid)}
.request[open] summary{border-bottom:1px solid var(--line)}
.number,.quiet{color:var(--quiet)}
.name{font-weight:600;overflow-wrap:anywhere}
.name i{margin-right:6px;font-style:normal;font-weight:400;color:var(--quiet)}
.bad{color:var(--failed)}
.content{padding:14px 16px 16px}
.content dl{display:grid;grid-template-columns:96px minmax(0,1fr);gap:4px 12px;overflow-wrap:anywhere}
.content dt{color:var(--quiet)}
h3{margin:18px 0 6px;font-size:13px;font-weight:600}
code,.headers{font:12px/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.content .headers{grid-template-columns:minmax(0,2fr) minmax(0,3fr);gap:0;border:1px solid var(--line);border-radius:6px}
.headers dt,.headers dd{padding:3px 12px;border-top:1px solid var(--line)}
.headers dt:first-of-type,.headers dd:first-of-type{border-top:0}
.content pre{max-height:480px}
.headers+pre{margin-top:8px}
.caveat{margin:14px 0 0}
.caveat.wrong{border-left-color:var(--failed)}
footer{padding-top:24px}
@media (max-width:560px){summary{grid-template-columns:minmax(0,1fr) auto}.number{display:none}summary .verdict{grid-column:1;font-size:13px}.content dl{grid-template-columns:80px minmax(0,1fr)}.content .headers{grid-template-columns:minmax(0,1fr)}.headers dd{border-top:0;padding-top:0}.headers dd:first-of-type{padding-bottom:3px}}
@media print{.request{break-inside:avoid-page}.content pre{max-height:none}details::details-content{content-visibility:visible;height:auto;block-size:auto}}
`;
