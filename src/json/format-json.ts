import { readJsonSpans } from './spans.js';

const token = /"(?:[^"\\]+|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Deeper values are not indented further. */
const maxDepth = 50;

/**
 * JSON with a line for each member and item; strings and numbers keep their characters.
 *
 * @throws JsonTextError for a text that is no JSON
 */
export function formatJson(text: string): string {
  readJsonSpans(text);
  const parts: string[] = [];
  let depth = 0;
  let isOpen = false;
  const breakLine = (): number => parts.push('\n', '  '.repeat(Math.min(depth, maxDepth)));
  for (const [part] of text.matchAll(token)) {
    const isEnd = part === '}' || part === ']';
    if (isEnd) depth--;
    // Nothing is between the brackets of what is empty.
    if (isOpen !== isEnd) breakLine();
    isOpen = part === '{' || part === '[';
    if (isOpen) depth++;
    parts.push(part);
    if (part === ':') parts.push(' ');
    if (part === ',') breakLine();
  }
  return parts.join('');
}
