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
