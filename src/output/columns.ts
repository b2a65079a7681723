import stringWidth from 'string-width';

const ascii = /^[ -~]*$/;
let segmenter: Intl.Segmenter | undefined;

/** How many columns of a terminal a text takes: wide characters take two, combining marks none. */
export function widthOf(text: string): number {
  return ascii.test(text) ? text.length : stringWidth(text);
}

/** The text in exactly `width` columns: filled with spaces, or cut off with `…`. */
export function fitted(text: string, width: number): string {
  return padded(cutTo(text, width), width);
}

/** The text, filled with spaces up to `width` columns. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** The text in at most `width` columns, cut off with `…`. */
export function cutTo(text: string, width: number): string {
  // A text of many megabytes need not be measured whole.
  const start = text.slice(0, 16 * width + 16);
  if (start.length === text.length && widthOf(text) <= width) return text;
  return width < 1 ? '' : `${beginning(start, width - 1)}…`;
}

/** As many whole characters, as people see them, as fit. */
function beginning(text: string, width: number): string {
  if (ascii.test(text)) return text.slice(0, width);
  segmenter ??= new Intl.Segmenter();
  let left = width;
  let kept = '';
  for (const { segment } of segmenter.segment(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    kept += segment;
  }
  return kept;
}

/** Lines of at most `width` columns, broken at spaces; a longer word stays whole. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const next = line === '' ? word : `${line} ${word}`;
    if (line !== '' && widthOf(next) > width) {
      lines.push(line);
      line = word;
    } else line = next;
  }
  return [...lines, line];
}
