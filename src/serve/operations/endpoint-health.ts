import type { EndpointHealth } from '../../api/serve.js';
import { isGone, type AttemptResult } from '../../delivery/outcome.js';

/** What an operator is told of an endpoint. */
export interface EndpointReport {
  readonly health: EndpointHealth;
  /** Of the last attempt that did not deliver, since the start; both null for none. */
  readonly lastStatus: number | null;
  readonly lastError: string | null;
}

type Seen = Pick<AttemptResult, 'status' | 'error' | 'verdict'>;

/** An endpoint is failing if more than half of this many attempts fail. */
const recentCount = 10;
/** This many deliveries in a row show that it has recovered; as many attempts without a response, that it is down. */
const latestCount = 3;

/** These end without a request, so they say nothing about the endpoint. */
const notSent: ReadonlySet<string | null> = new Set(['gone', 'behind', 'internal_error']);

/** Judges one endpoint by its recent attempts. */
export class EndpointWatch {
  /** The oldest first. */
  readonly #recent: Seen[] = [];
  #lastFailure: Pick<Seen, 'status' | 'error'> = { status: null, error: null };

  add({ status, error, verdict }: Seen): void {
    if (notSent.has(error)) return;
    const seen = { status, error, verdict };
    if (!isDelivered(seen)) this.#lastFailure = { status, error };
    this.#recent.push(seen);
    if (this.#recent.length > recentCount) this.#recent.shift();
  }

  get report(): EndpointReport {
    const { status, error } = this.#lastFailure;
    return { health: healthOf(this.#recent), lastStatus: status, lastError: error };
  }
}

function healthOf(recent: readonly Seen[]): EndpointHealth {
  if (recent.length === 0) return 'unused';
  if (isGone(recent.at(-1)!)) return 'gone';
  const latest = recent.slice(-latestCount);
  if (latest.every(isDelivered)) return 'up';
  if (latest.every(({ status, error }) => status === null && error !== 'oauth2')) return 'down';
  const failures = recent.filter((attempt) => !isDelivered(attempt)).length;
  return failures * 2 > recent.length ? 'failing' : 'up';
}

function isDelivered({ status }: Seen): boolean {
  return status !== null && status >= 200 && status < 300;
}
