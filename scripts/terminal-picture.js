// Turns what a command prints into an SVG for the docs:
//   FORCE_COLOR=1 node bin/evfwd.js demo | node scripts/terminal-picture.js 'evfwd demo' > docs/demo.svg
import { text } from 'node:stream/consumers';

const colors = { 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 1: '#ffffff', 2: '#8b949e' };
const plain = '#c9d1d9';
const lineHeight = 21;
const charWidth = 8.43;

const lines = [
  `\u001b[32m$\u001b[39m ${process.argv[2]}`,
  ...(await text(process.stdin)).trimEnd().split('\n'),
];
const columns = Math.max(...lines.map((line) => stripped(line).length));
const width = Math.ceil(columns * charWidth) + 48;
const height = lines.length * lineHeight + 64;

process.stdout
  .write(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<rect width="100%" height="100%" rx="10" fill="#0d1117"/>
<circle cx="22" cy="20" r="6" fill="#ff5f57"/><circle cx="42" cy="20" r="6" fill="#febc2e"/><circle cx="62" cy="20" r="6" fill="#28c840"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, 'DejaVu Sans Mono', monospace" font-size="14">
${lines.map((line, i) => `<text x="24" y="${58 + i * lineHeight}">${spans(line)}</text>`).join('\n')}
</g>
</svg>
`);

function stripped(line) {
  return line.replace(/\u001b\[\d+m/g, '');
}

function spans(line) {
  let fill = plain;
  return line
    .split(/(\u001b\[\d+m)/)
    .map((part) => {
      const code = /^\u001b\[(\d+)m$/.exec(part)?.[1];
      if (code === undefined) return part && `<tspan fill="${fill}">${escape(part)}</tspan>`;
      fill = colors[code] ?? plain;
      return '';
    })
    .join('');
}

function escape(text) {
  // Renderers fold plain spaces.
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/ /g, '\u00a0');
}
