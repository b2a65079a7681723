import { unprintable } from '../../../src/output/printable.js';

interface ReceivedProps {
  readonly text: string;
  /** Line ends and tabs are kept as they are. */
  readonly isMultiline?: boolean;
}

/** Received text: rendered as text nodes only, with marks for invisible characters. */
export function Received({ text, isMultiline = false }: ReceivedProps) {
  return (
    <bdi class="received">
      {visibleParts(text, isMultiline).map((part) =>
        part.isMark ? <span class="mark">{part.text}</span> : part.text,
      )}
    </bdi>
  );
}

/** A piece of received text: as it is, or one character that would not be seen or would mislead. */
interface TextPart {
  readonly text: string;
  readonly isMark: boolean;
}

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Splits received text into what can be shown and marks for what can not: control characters and
 * what turns the direction of writing. Where there may be several lines, line ends and tabs are
 * kept, but for one at the very end: it is easily overlooked, and often why a signature does not
 * fit.
 */
export function visibleParts(text: string, isMultiline = false): TextPart[] {
  const parts: TextPart[] = [];
  let start = 0;
  for (const { 0: character, index } of text.matchAll(unprintable)) {
    if (isMultiline && isLayout(character) && index < text.length - 1) continue;
    if (index > start) parts.push({ text: text.slice(start, index), isMark: false });
    parts.push({ text: markOf(character), isMark: true });
    start = index + character.length;
  }
  if (start < text.length) parts.push({ text: text.slice(start), isMark: false });
  return parts;
}

function isLayout(character: string): boolean {
  return character === '\n' || character === '\t';
}

function markOf(character: string): string {
  return (
    short[character] ?? `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
  );
}
