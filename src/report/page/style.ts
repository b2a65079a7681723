/**
 * Blue for success, red for failure, yellow for what is not decided: they differ in lightness as well, so that
 * every kind of color vision can distinguish them. Text has a contrast of at least 4.5 to 1, marks of 3 to 1, in
 * both schemes.
 */
export const baseStyle = `
:root{color-scheme:light dark;--page:#fff;--ink:#171717;--quiet:#666;--line:#eaeaea;--grid:#f0f0f0;--good:#3c6ff0;--tint:#3c6ff022;--retry:#b58100;--failed:#9f1f14}
@media (prefers-color-scheme:dark){:root{--page:#0a0a0a;--ink:#ededed;--quiet:#a1a1a1;--line:#2a2a2a;--grid:#1d1d1d;--good:#5b8cff;--tint:#5b8cff2b;--retry:#e8c84f;--failed:#f26b4a}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums;-webkit-text-size-adjust:100%}
main,footer{max-width:1080px;margin:0 auto;padding:0 24px}
h1,h2,p,dl,dd{margin:0}
h1{padding:40px 0 0;font-size:14px;font-weight:500;color:var(--quiet)}
h2{font-size:14px;font-weight:600}
.hero{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 16px;padding:8px 0 4px}
.hero strong{font-size:56px;line-height:1.1;font-weight:600;letter-spacing:-.035em}
.hero span{font-size:16px}
.when,.note,footer{color:var(--quiet)}
.when,.note,.caveat,footer{font-size:13px}
.facts{display:flex;flex-wrap:wrap;gap:1px;margin:28px 0 16px;background:var(--line);border:1px solid var(--line);border-radius:10px;overflow:hidden}
.facts div{flex:1 1 auto;padding:14px 18px;background:var(--page)}
.facts dt{font-size:13px;color:var(--quiet)}
.facts dd{font-size:20px;font-weight:500;letter-spacing:-.015em;white-space:nowrap}
pre{margin:0;padding:10px 12px;max-height:240px;overflow:auto;border:1px solid var(--line);border-radius:6px;background:var(--grid);font:12px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
pre:focus-visible{outline:2px solid var(--good);outline-offset:-2px}
.caveat{margin-bottom:16px;padding:10px 16px;border:1px solid var(--line);border-left:3px solid var(--retry);border-radius:6px;overflow-wrap:anywhere}
footer{padding-top:8px;padding-bottom:48px;max-width:1080px;overflow-wrap:anywhere}
footer p{max-width:720px;margin-bottom:6px}
`;

/** The style of the delivery report. */
export const style = `${baseStyle}.pair,.tables{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:16px}
.tables.of-3{grid-template-columns:minmax(0,1.3fr) repeat(2,minmax(0,1fr))}
.tables.of-1{grid-template-columns:minmax(0,1fr)}
.panel{display:flex;flex-direction:column;min-width:0;margin-bottom:16px;padding:18px 20px;border:1px solid var(--line);border-radius:10px}
.panel header{display:flex;flex-wrap:wrap;justify-content:space-between;gap:2px 16px;margin-bottom:14px}
.legend{margin-right:12px}
.key{margin-right:12px;color:var(--ink);white-space:nowrap}
.swatch,.line{display:inline-block;width:10px;height:10px;margin-right:6px;border-radius:2px}
.line{width:14px;height:0;border-radius:0;border-top:2px solid var(--good);vertical-align:4px}
.line.p95{border-top:1px solid var(--quiet)}
.swatch.delivered{background:var(--good)}.swatch.retry{background:var(--retry)}.swatch.failed{background:var(--failed)}
.chart{display:grid;grid-template-columns:48px minmax(0,1fr);grid-template-rows:minmax(200px,1fr) 26px;flex:1;margin-top:8px}
.plot,.y,.markers{grid-row:1}
.plot,.markers,.x{grid-column:2}
.plot{width:100%;height:100%;min-height:0;overflow:visible}
.plot path{vector-effect:non-scaling-stroke}
.plot .grid,.plot .base{fill:none;stroke:var(--grid);stroke-width:1}
.plot .base{stroke:var(--line)}
.plot .delivered,.plot .retry,.plot .failed{shape-rendering:crispEdges}
.plot .delivered{fill:var(--good)}.plot .retry{fill:var(--retry)}.plot .failed{fill:var(--failed)}
.plot .band{fill:var(--tint)}
.plot .p50{fill:none;stroke:var(--good);stroke-width:2;stroke-linejoin:round}
.plot .p95{fill:none;stroke:var(--quiet);stroke-width:1}
.x,.y{position:relative;font-size:12px;color:var(--quiet);white-space:nowrap}
.y span{position:absolute;right:10px;transform:translateY(50%)}
.x span{position:absolute;top:6px;transform:translateX(-50%)}
.x .start{transform:none}.x .end{transform:translateX(-100%)}
.chart.marked{margin-top:62px}
.markers{position:relative;margin-top:-58px;font-size:12px;line-height:14px;color:var(--quiet);pointer-events:none}
.markers span{position:absolute;bottom:0;padding-left:5px;border-left:1px solid var(--ink);white-space:nowrap}
.markers i{position:relative;z-index:1;padding:0 2px;font-style:normal;background:var(--page)}
.markers .left{padding:0 5px 0 0;border-left:0;border-right:1px solid var(--ink)}
.markers b{font-weight:600;color:var(--ink)}
.scroll{overflow-x:auto;margin:8px -20px -8px;padding:0 20px}
.scroll:focus-visible{outline:2px solid var(--good);outline-offset:-2px}
table{width:100%;border-collapse:collapse;font-size:13px}
th,td{padding:7px 0 7px 16px;text-align:right;font-weight:400;white-space:nowrap;border-top:1px solid var(--line)}
thead th{border-top:0;color:var(--quiet);padding-top:4px}
th:first-child{padding-left:0;text-align:left}
tbody th{max-width:420px;white-space:normal;overflow-wrap:anywhere;min-width:96px}
h3{overflow-wrap:anywhere;margin:14px 0 4px;font-size:13px;font-weight:500}
.group{margin-top:14px;padding-top:12px;border-top:1px solid var(--line)}
.group h3{margin:0;font-weight:600}.group h3 span{margin-left:6px;font-weight:400;color:var(--quiet)}
.said{overflow-wrap:anywhere}
summary{display:inline-block;margin-top:4px;font-size:13px;color:var(--quiet);text-decoration:underline;text-underline-offset:3px;cursor:pointer}
summary:focus-visible{outline:2px solid var(--good);outline-offset:2px}
.tall{max-height:420px;overflow-y:auto}
.text th,.text td{text-align:left;vertical-align:top}
.text td[data-label="Response"],.text td[data-label="URL"]{white-space:normal;overflow-wrap:anywhere;min-width:120px}
.resend{margin:18px 0 6px;font-size:13px}
pre+.note{margin-top:6px}
@media (max-width:860px){.facts{display:grid;grid-template-columns:repeat(4,minmax(0,1fr))}.pair,.tables.tables{grid-template-columns:minmax(0,1fr);gap:0}}
@media (max-width:560px){main,footer{padding-left:16px;padding-right:16px}h1{padding-top:24px}.hero strong{font-size:44px}.facts div{padding:10px 14px}.panel{padding:16px 14px}.chart{grid-template-rows:minmax(160px,1fr) 26px}.facts{grid-template-columns:repeat(2,minmax(0,1fr))}tbody th{min-width:150px}.x .odd{display:none}.scroll{margin-left:-14px;margin-right:-14px;padding:0 14px}.note .legend{display:block}
.tall{max-height:none}.stacks thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.stacks,.stacks tbody,.stacks tr,.stacks th,.stacks td{display:block}
.stacks tr{padding:8px 0;border-top:1px solid var(--line)}.stacks tr:first-child{border-top:0}
.stacks tbody th{max-width:none;padding:0 0 4px;border:0;font-weight:500}
.stacks td{display:flex;justify-content:space-between;gap:16px;padding:2px 0;border:0;text-align:right;white-space:normal;overflow-wrap:anywhere}
.stacks td::before{content:attr(data-label);flex:none;color:var(--quiet)}}
@media print{.panel{break-inside:avoid}.tall,pre{max-height:none}details::details-content{content-visibility:visible;height:auto;block-size:auto}}
`;
