import { STATUS_CODES } from 'node:http';
import { msText } from '../../output/numbers.js';
import { printable } from '../../output/printable.js';
import type { Exchange, ProbeResponse } from '../exchange.js';

/** How much of a body is shown. */
const maxLines = 12;
const maxLineLength = 300;

/** The headers that explain a response; all others are left out. */
const shownHeaders: readonly string[] = ['allow', 'content-type', 'location', 'retry-after'];

/** What came back, line by line and safe to print: the status, some headers, the beginning of the body. */
export function receivedLines(exchange: Exchange): string[] {
  const { response, error, durationMs } = exchange;
  if (!response)
    return [`no response after ${msText(durationMs)}: ${printable(error ?? 'unknown error')}`];
  return [
    `${statusText(response.status)} after ${msText(durationMs)}`,
    ...headerLines(response),
    ...bodyLines(response),
  ];
}

function statusText(status: number): string {
  const name = STATUS_CODES[status];
  return name === undefined ? `HTTP ${status}` : `HTTP ${status} ${name}`;
}

function headerLines({ headers }: ProbeResponse): string[] {
  const lines: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2)
    if (shownHeaders.includes(headers[i]!.toLowerCase()))
      lines.push(shortened(printable(`${headers[i]!}: ${headers[i + 1]!}`)));
  return lines;
}

function bodyLines({ body }: ProbeResponse): string[] {
  const all = body
    .toString('utf8')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');
  const lines = all.slice(0, maxLines).map((line) => shortened(printable(line)));
  return all.length > maxLines ? [...lines, '…'] : lines;
}

function shortened(line: string): string {
  return line.length > maxLineLength ? `${line.slice(0, maxLineLength - 1)}…` : line;
}

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
