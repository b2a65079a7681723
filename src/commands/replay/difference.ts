import { describeResult } from '../../delivery/describe.js';
import type { Outcome } from '../../delivery/outcome.js';
import { printable } from '../../output/printable.js';
import type { CaptureItem } from '../../replay/capture-item.js';
import { shownPath } from '../../replay/path.js';

/** A request whose response is not the recorded one, as `--compare --json` prints it. */
export interface Difference {
  readonly type: 'difference';
  readonly file: string;
  readonly line: number;
  readonly messageId: string | undefined;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  /** The statuses; null without a response. */
  readonly recorded: number | null;
  readonly received: number | null;
  /** One sentence. */
  readonly message: string;
}

export function differenceLine(outcome: Outcome, item: CaptureItem): Difference {
  const { file, line } = item.origin;
  const { method, path, response } = item.request;
  const last = outcome.attempts.at(-1);
  const recorded = response?.status ?? null;
  const received = last?.status ?? null;
  return {
    type: 'difference',
    ...{ file, line, messageId: outcome.messageId, method, path: shownPath(path) },
    ...{ recorded, received },
    message: messageOf(outcome, recorded),
  };
}

/** `got.ndjson:3: POST /hook: recorded 200, now 404`. */
export function differenceText({ file, line, method, path, message }: Difference): string {
  return printable(`${file}:${line}: ${method} ${path}: ${message}`);
}

function messageOf({ code, message = '', attempts }: Outcome, recorded: number | null): string {
  const last = attempts.at(-1);
  // After the URL, which the line has no room for.
  if (code === 'response_differs') return message.slice(message.indexOf(': ') + 2);
  const before = recorded === null ? 'recorded without a response' : `recorded ${recorded}`;
  return last ? `${before}, now ${describeResult(last)}` : `${before}: ${message}`;
}
