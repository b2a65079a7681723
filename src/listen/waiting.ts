import { systemClock } from '../clock.js';
import { EvfwdError, exitCodes, UsageError } from '../errors.js';
import { checkWaitOptions } from './check-receiver-options.js';
import { holds, isGoal, parseExpectation } from './expectation.js';
import type { Journal } from './journal.js';
import { notesOf } from './notes.js';
import { receivedCaptureOf } from './received-capture.js';
import type { ReceivedRequest } from './received-request.js';
import { pathWithoutQuery } from '../receive/rules/path-pattern.js';
import type { Match, ReceivedCapture, WaitOptions } from './webhook-receiver.js';

interface Wait {
  /** Counts what fits of one request; throws what the function of the user throws. */
  readonly countIn: (received: ReceivedRequest) => number;
  readonly isEnough: (count: number) => boolean;
}

/** Lets tests wait for requests, those that came before included. */
export class Waiting {
  readonly #journal: Journal;
  readonly #ended = new Set<(error: EvfwdError) => void>();
  readonly #checks = new Set<() => void>();
  #isClosed = false;

  constructor(journal: Journal) {
    this.#journal = journal;
    journal.watch({
      added: () => {
        for (const check of this.#checks) check();
      },
    });
  }

  /**
   * Resolves to the captures that fit, once there are enough of them.
   *
   * @throws UsageError for a rule that is wrong, or that needs nothing to come
   */
  async for(match: Match, options: WaitOptions = {}): Promise<ReceivedCapture[]> {
    checkWaitOptions(options);
    const { count, timeoutMs = 5000 } = options;
    const wait = waitOf(match, count);
    if (this.#isClosed) {
      throw closed('the receiver is closed; await it before close(), or read requests');
    }
    return new Promise((resolve, reject) => {
      const end = (): void => {
        stopTimer();
        this.#checks.delete(check);
        this.#ended.delete(fail);
      };
      const fail = (error: Error): void => {
        end();
        reject(error);
      };
      const check = (): void => {
        try {
          const { fitting, total } = this.#found(wait);
          if (!wait.isEnough(total)) return;
          end();
          resolve(fitting);
        } catch (error) {
          fail(error as Error);
        }
      };
      const stopTimer = systemClock.after(timeoutMs, () => {
        fail(notReceived(match, timeoutMs, this.#journal.kept.all()));
      });
      this.#checks.add(check);
      this.#ended.add(fail);
      check();
    });
  }

  /** Rejects what still waits, and all that comes later. */
  close(): void {
    this.#isClosed = true;
    const error = closed('the receiver was closed while it was waiting; await it before close()');
    for (const fail of [...this.#ended]) fail(error);
  }

  #found({ countIn }: Wait): { fitting: ReceivedCapture[]; total: number } {
    const counted = this.#journal.kept.all().map((one) => ({ one, count: countIn(one) }));
    const fitting = counted
      .filter(({ count }) => count > 0)
      .map(({ one }) => receivedCaptureOf(one));
    return { fitting, total: counted.reduce((sum, { count }) => sum + count, 0) };
  }
}

function closed(why: string): EvfwdError {
  return new EvfwdError('receiver_closed', `waitFor: ${why}`, exitCodes.negative);
}

function waitOf(match: Match, count: number | undefined): Wait {
  if (typeof match === 'function') {
    const isEnough = (found: number) => found >= (count ?? 1);
    return { countIn: (received) => (match(receivedCaptureOf(received)) ? 1 : 0), isEnough };
  }
  if (typeof match !== 'string') {
    throw new UsageError('match must be a rule like "track:Order *", or a function');
  }
  const rule = parseExpectation(match);
  if (!isGoal(rule)) {
    throw new UsageError(
      `waitFor "${match}": it needs nothing to come; wait for something, like track>=1`,
      'invalid_expectation',
    );
  }
  return {
    countIn: (received) => rule.countIn(received, notesOf(received.body, received.path)),
    isEnough: (found) => (count === undefined ? holds(rule, found) : found >= count),
  };
}

/** How many requests a message lists. */
const mostListed = 10;

function notReceived(
  match: Match,
  timeoutMs: number,
  requests: readonly ReceivedRequest[],
): EvfwdError {
  const what = typeof match === 'string' ? `"${match}"` : 'what fits the function';
  const listed = requests.slice(-mostListed).map(inWords).join(', ');
  const more =
    requests.length > mostListed ? `${requests.length - mostListed} requests, then ` : '';
  const came = requests.length === 0 ? 'nothing came' : `these came: ${more}${listed}`;
  const message = `waitFor ${what}: not received within ${timeoutMs} ms; ${came}`;
  return new EvfwdError('not_received', message, exitCodes.negative);
}

/** `POST /hook track Order Completed, signature invalid, 401`, without control characters. */
function inWords({ method, path, summary, signature, response }: ReceivedRequest): string {
  const event = summary.type === null ? '' : ` ${summary.type} ${summary.name ?? ''}`.trimEnd();
  const text = `${method} ${pathWithoutQuery(path)}${event} (signature ${signature}, ${response.status ?? 'no response'})`;
  return text.replace(/\p{Cc}/gu, '?');
}
