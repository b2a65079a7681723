import { deadLettersIn, lineOf, type Line } from './import-lines.js';
import type { Delivery } from './endpoints.js';
import type { ImportPlan } from './import-plan.js';
import { minute } from './plan.js';
import { signatureOf, Violation } from './world.js';

/** From the start of an attempt to the arrival of its request. */
const underwayMs = 50;
/** What a power cut may undo: 500 committed events. */
const maxUndone = 500;
/** Before the end of its window, an event has a last attempt in spite of a pause. */
const lastAttemptMs = 15 * minute;

interface Known {
  readonly line: Line;
  readonly deliveries: Delivery[];
}

/** The state of the world that rules depend on. */
export interface ImportState {
  crashes(): number;
  /** Whether this run or a later one has lost what it knew. */
  hasCrashedSince(run: number): boolean;
  hasJumped(): boolean;
  pauseOf(
    host: string,
  ): { readonly since: number; readonly until: number; readonly run: number } | undefined;
}

/** Compares what an import does with what was promised. */
export class ImportJudge {
  readonly #plan: ImportPlan;
  readonly #state: ImportState;
  readonly #known = new Map<number, Known>();
  /** With `isOrdered`: the newest event of each user that was requested, and after how many crashes. */
  readonly #newest = new Map<string, { readonly n: number; readonly crashes: number }>();
  /** By run. */
  readonly #repeats = new Map<number, number>();

  constructor(plan: ImportPlan, state: ImportState) {
    this.#plan = plan;
    this.#state = state;
  }

  noteRequest(delivery: Delivery): void {
    const { event } = JSON.parse(delivery.body) as { event: string };
    const n = Number(event.slice(event.indexOf(' ') + 1));
    let known = this.#known.get(n);
    if (!known) {
      known = { line: lineOf(n, this.#plan), deliveries: [] };
      this.#known.set(n, known);
    }
    this.#judgeContent(n, known, delivery);
    this.#judgePause(n, known, delivery);
    this.#judgeRepeat(n, known, delivery);
    if (this.#plan.isOrdered) this.#judgeOrder(n, known);
    known.deliveries.push(delivery);
  }

  #judgeContent(n: number, { line, deliveries }: Known, delivery: Delivery): void {
    const { messageId, body, signature } = delivery;
    if (!line.isValid) fail(`event ${n} is no event, and was sent`);
    if (line.messageId !== undefined && line.messageId !== messageId)
      fail(`event ${n}: its id became ${JSON.stringify(messageId)}`);
    if (signature !== signatureOf(body)) fail(`event ${n}: its signature is wrong`);
    if (deliveries[0] && deliveries[0].body !== body) fail(`event ${n}: its body has changed`);
  }

  #judgePause(n: number, { deliveries }: Known, { host, at, run }: Delivery): void {
    const pause = this.#state.pauseOf(host);
    if (pause?.run !== run || this.#state.hasJumped()) return;
    if (at < pause.since + underwayMs || at >= pause.until) return;
    // The last attempt of any event ends the pause for all.
    const known = [{ deliveries }, ...this.#known.values()];
    const isLast = known.some((one) => this.#isNearEnd(one.deliveries, host, at));
    if (!isLast) fail(`event ${n}: was sent to ${host} in a pause`);
  }

  #isNearEnd(deliveries: readonly Delivery[], host: string, at: number): boolean {
    const first = deliveries.find((other) => other.host === host);
    return first !== undefined && at - first.at > this.#plan.retryWindowMs - lastAttemptMs;
  }

  /** What was delivered is sent again only when a crash has undone what was recorded. */
  #judgeRepeat(n: number, { deliveries }: Known, { host, at, run }: Delivery): void {
    // Each URL gets each event; it is a retry that needs no second success. What comes at once, on a new
    // connection, is the same attempt: that of an idle one was closed.
    const isRetry = deliveries.some(
      (one) => one.host === host && one.run === run && one.at < at - underwayMs,
    );
    const before = deliveries.filter((one) => {
      if (one.status !== 200) return false;
      if (one.host === host) return one.at < at - underwayMs;
      // It may be retried here while the response of the other URL is on its way.
      return isRetry && !this.#plan.allUrls && one.readAt! < at - underwayMs;
    });
    if (before.length === 0) return;
    if (!before.every((one) => this.#state.hasCrashedSince(one.run))) {
      fail(`event ${n}: was sent to ${host} after its delivery`);
    }
    const repeats = (this.#repeats.get(run) ?? 0) + 1;
    this.#repeats.set(run, repeats);
    const urls = this.#plan.destinations[0]!.urls.length;
    const most = (maxUndone + 2 * this.#plan.concurrency) * urls;
    if (repeats > most) fail(`run ${run} has repeated ${repeats} events`);
  }

  #judgeOrder(n: number, { line }: Known): void {
    const crashes = this.#state.crashes();
    const newest = this.#newest.get(line.userId);
    if (newest && newest.n > n && newest.crashes === crashes) {
      fail(`event ${n} of ${line.userId} was sent after ${newest.n}`);
    }
    if (!newest || n > newest.n || newest.crashes !== crashes) {
      this.#newest.set(line.userId, { n, crashes });
    }
  }

  /** When the import says that all has ended. */
  judgeEnd(counts: { delivered: number; rejected: number; failed: number }, path: string): void {
    const letters = deadLettersIn(path);
    const total = this.#plan.files.reduce((sum, lines) => sum + lines, 0);
    const sum = counts.delivered + counts.rejected + counts.failed;
    if (sum !== total) fail(`${sum} of ${total} lines are counted`);
    if (letters.length !== counts.rejected + counts.failed)
      fail(`${letters.length} dead letters, ${counts.rejected} rejected, ${counts.failed} failed`);
    const failed = new Set(letters.map(({ n }) => n));
    if (failed.size !== letters.length) fail('an event is twice among the dead letters');
    let delivered = 0;
    for (let n = 0; n < total; n++) {
      const isValid = lineOf(n, this.#plan).isValid;
      const isFailed = failed.has(n);
      const isDelivered = this.#known.get(n)?.deliveries.some(({ status }) => status === 200);
      if (!isValid && !isFailed) fail(`line ${n} is no event, and is no dead letter`);
      if (isValid && !isDelivered && !isFailed) {
        fail(`event ${n} is neither delivered nor a dead letter`);
      }
      if (isDelivered && isFailed && this.#state.crashes() === 0 && !this.#plan.allUrls) {
        fail(`event ${n} is delivered, and a dead letter`);
      }
      if (!isFailed) delivered++;
    }
    if (delivered !== counts.delivered)
      fail(`${counts.delivered} are counted as delivered, of ${delivered}`);
  }
}

function fail(message: string): never {
  throw new Violation(message);
}
