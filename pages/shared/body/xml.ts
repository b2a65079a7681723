/** More is shown raw only. */
const mostCharacters = 200_000;
/** Deeper levels are not indented further. */
const mostLevels = 40;

/** How the pieces of XML that begin with `<!` or `<?` end. */
const closed: readonly (readonly [start: string, end: string])[] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
  ['<', '>'],
];

/**
 * XML with each element on its own line, for reading; its entities stay as they are. Undefined when
 * it is too long, or its elements do not close in order.
 */
export function indentXml(text: string): string | undefined {
  const tokens = text.length > mostCharacters ? undefined : tokensOf(text);
  if (!tokens) return undefined;
  const lines: string[] = [];
  const open: string[] = [];
  const indent = (): string => '  '.repeat(Math.min(open.length, mostLevels));
  for (const [i, token] of tokens.entries()) {
    const name = nameOf(token);
    if (token.startsWith('</')) {
      if (open.pop() !== name) return undefined;
      // An element that is empty or holds only text stays on one line.
      const before = tokens[i - 1];
      const isShort = isStart(before) || (isText(before) && isStart(tokens[i - 2]));
      if (isShort) lines.push(lines.pop()! + token);
      else lines.push(indent() + token);
    } else if (isText(token) && isStart(tokens[i - 1])) {
      lines.push(lines.pop()! + token);
    } else {
      lines.push(indent() + token);
      if (isStart(token)) open.push(name);
    }
  }
  return open.length === 0 ? lines.join('\n') : undefined;
}

function isStart(token: string | undefined): boolean {
  return token !== undefined && /^<[^!?/]/.test(token) && !token.endsWith('/>');
}

function isText(token: string | undefined): boolean {
  return token !== undefined && !token.startsWith('<');
}

function nameOf(token: string): string {
  return /^<\/?([^\s/>]+)/.exec(token)?.[1] ?? '';
}

/** Tags, comments and texts, without the space between them. */
function tokensOf(text: string): string[] | undefined {
  const tokens: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = text[at] === '<' ? endOfTag(text, at) : endOfText(text, at);
    if (end === undefined) return undefined;
    const token = text.slice(at, end).trim();
    if (token !== '') tokens.push(token);
    at = end;
  }
  return tokens.some(isStart) || tokens.some((token) => token.endsWith('/>')) ? tokens : undefined;
}

function endOfText(text: string, at: number): number {
  const end = text.indexOf('<', at);
  return end < 0 ? text.length : end;
}

function endOfTag(text: string, at: number): number | undefined {
  const [start, end] = closed.find(([prefix]) => text.startsWith(prefix, at))!;
  const found = start === '<' ? endOfElement(text, at) : text.indexOf(end, at + start.length);
  return found < 0 ? undefined : found + end.length;
}

/** The `>` of a tag; those in the quotes of its attributes do not end it. */
function endOfElement(text: string, from: number): number {
  let quote = '';
  for (let at = from + 1; at < text.length; at++) {
    const character = text[at]!;
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at;
  }
  return -1;
}
