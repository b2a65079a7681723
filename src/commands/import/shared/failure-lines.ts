import { firstLineOf } from '../../../output/response-text.js';
import { count } from '../../../output/numbers.js';
import { printable } from '../../../output/printable.js';

/** A dead letter as it is shown. */
export interface ShownFailure {
  readonly place: string;
  readonly verdict: string;
  readonly message: string;
  /** The first line of the response to the last attempt. */
  readonly response: string | undefined;
}

/** Members of a line of the dead-letter list; `line` only where the whole file was read in one piece. */
interface DeadLetterMembers {
  readonly file?: unknown;
  readonly line?: unknown;
  readonly row?: unknown;
  readonly offset?: unknown;
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly response?: Parameters<typeof firstLineOf>[0];
}

/** What to show of a line of the dead-letter list; undefined for a line of an unknown form. */
export function failureOf(line: Buffer): ShownFailure | undefined {
  const letter = parsed(line);
  const { file, reason, message, response } = letter ?? {};
  if (typeof file !== 'string' || typeof reason !== 'string') return undefined;
  return {
    place: printable(file) + positionText(letter!),
    verdict: printable(reason),
    message: typeof message === 'string' ? message : '',
    response: firstLineOf(response),
  };
}

function positionText({ line, row, offset }: DeadLetterMembers): string {
  if (typeof row === 'number') return ` row ${count(row)}`;
  if (typeof line === 'number') return `:${line}`;
  return typeof offset === 'number' ? ` at byte ${count(offset)}` : '';
}

function parsed(line: Buffer): DeadLetterMembers | undefined {
  try {
    return JSON.parse(line.toString('utf8')) as DeadLetterMembers;
  } catch {
    return undefined;
  }
}
