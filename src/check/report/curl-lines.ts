import { printable } from '../../output/printable.js';

/**
 * A command on several lines that a shell joins again: broken before options and curl, outside of quotes, where a
 * line would be wider than `width`. A newline of the command itself stays within its line.
 */
export function curlLines(command: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const part of optionsOf(safeCommand(command))) {
    const next = line === '' ? part : `${line} ${part}`;
    if (line !== '' && next.length + 2 > width) {
      lines.push(`${line} \\`);
      line = `  ${part}`;
    } else line = next;
  }
  return [...lines, line];
}

/** A command keeps its newlines, which are part of a body; it has no other control characters. */
export function safeCommand(command: string): string {
  return command.split('\n').map(printable).join('\n');
}

/** What a line may begin with, behind a space: an option, and curl behind a pipe. */
const breaks = [' -', ' curl '];

/** The command, cut where a line may begin, outside of quotes. */
function optionsOf(command: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  let isEscaping = false;
  for (let i = 0; i < command.length; i++) {
    const character = command[i]!;
    if (character === '\\' && (!isQuoted || isEscaping)) i++;
    else if (character === "'") {
      isEscaping = !isQuoted && command[i - 1] === '$';
      isQuoted = !isQuoted;
    } else if (!isQuoted && breaks.some((text) => command.startsWith(text, i))) {
      parts.push(command.slice(start, i));
      start = i + 1;
    }
  }
  return [...parts, command.slice(start)];
}
