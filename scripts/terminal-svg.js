// A terminal as an SVG: its window, and lines of what a command prints with FORCE_COLOR=1.
const colors = { 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 1: '#ffffff', 2: '#8b949e' };
const plain = '#c9d1d9';
const lineHeight = 21;

export const background = '#0d1117';
export const charWidth = 8.43;
export const left = 24;

/** The y of the baseline of a line, counted from 0. */
export const baseline = (line) => 58 + line * lineHeight;

/** A window with room for so many lines and columns; `style` goes before its content. */
export function terminal({ lines, columns, content, style = '' }) {
  const width = Math.ceil(columns * charWidth) + 2 * left;
  const height = lines * lineHeight + 64;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
${style}<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10" fill="${background}" stroke="#30363d"/>
<circle cx="22" cy="20" r="6" fill="#ff5f57"/><circle cx="42" cy="20" r="6" fill="#febc2e"/><circle cx="62" cy="20" r="6" fill="#28c840"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, 'DejaVu Sans Mono', monospace" font-size="14">
${content}
</g>
</svg>
`;
}

/** A line of output; `attributes` are those of its element. */
export function textLine(line, at, attributes = '') {
  // A font with other widths must not move what stands over the text.
  const length = withoutColors(line).length * charWidth;
  const fitted = length > 0 ? ` textLength="${length.toFixed(1)}"` : '';
  return `<text x="${left}" y="${baseline(at)}"${fitted}${attributes}>${spans(line)}</text>`;
}

export function withoutColors(line) {
  return line.replace(/\u001b\[\d+m/g, '');
}

/** The prompt with a command, as the terminal shows it. */
export function prompt(command) {
  return `\u001b[32m$\u001b[39m ${command}`;
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
