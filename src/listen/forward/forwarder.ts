import { setMaxListeners } from 'node:events';
import type { RequestOptions, ServerResponse } from 'node:http';
import type { Forwarded } from '../../api/listen.js';
import { systemClock } from '../../clock.js';
import { nameOfError } from '../../delivery/verdict.js';
import { toMicroseconds } from '../../duration.js';
import { originForm } from '../../receive/rules/normal-path.js';
import { AppConnections } from './app-connections.js';
import { NoResponse, type AppResponse } from './ask-app.js';
import { ExchangeLimits } from './exchange-limits.js';
import { sendFailure, type ForwardError } from './failure-response.js';
import { forwardTarget, type ForwardTarget } from './forward-target.js';
import { headersForApp, type SenderRequest } from '../../receive/headers-for-app.js';
import { passOn } from './pass-on.js';
import type { SentResponse } from './sent-response.js';
import { AppSemaphore } from './app-semaphore.js';

export interface ForwarderOptions {
  /** The URL of the app, checked with `checkUrl`. With a path it is used as it is. */
  readonly url: string;
  /**
   * The time to the status line, from when a connection is free for the request; also how long a request
   * waits for its turn while the app answers none. Default 30 s.
   */
  readonly timeoutMs?: number;
  /** Certificates to trust in addition, as PEM texts. */
  readonly ca?: readonly string[];
  /** Requests without a status line that are with the app; all others wait for their turn. Default 128. */
  readonly maxConnections?: number;
}

/** A request as it was received. */
export interface ForwardRequest extends SenderRequest {
  /** With its query, as in the request line. */
  readonly path: string;
}

/** How a request was passed on, and what its sender got. */
export interface ForwardResult extends Forwarded, SentResponse {}

/** How an exchange with the app ended. */
interface Ended {
  /** By `monotonic()`: its turn, or when it began to wait for one that it did not get. */
  readonly startedAt: number;
  readonly status: number | null;
  readonly error: ForwardError | null;
  readonly sent: SentResponse;
}

/** The default of `--forward-timeout`. */
export const forwardTimeoutMs = 30_000;

/** Passes requests on to an app and sends its responses back. */
export class Forwarder {
  readonly #target: ForwardTarget;
  /** The time to the status line. */
  readonly timeoutMs: number;
  readonly #connections: AppConnections;
  /** Of requests without a status line: bodies may stream for ever. */
  readonly #semaphore: AppSemaphore;
  readonly #open = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor(options: ForwarderOptions) {
    const { url, timeoutMs = forwardTimeoutMs, ca, maxConnections = 128 } = options;
    this.#target = forwardTarget(url);
    this.timeoutMs = timeoutMs;
    // One listener for each open request.
    setMaxListeners(0, this.#closing.signal);
    const { isTls } = this.#target;
    this.#connections = new AppConnections({ isTls, ca, maxIdle: maxConnections });
    this.#semaphore = new AppSemaphore({ atOnce: maxConnections, waitMs: timeoutMs });
  }

  /**
   * Passes one request on. Resolves when the sender has the response, or will not get (all of) it; never
   * rejects. A sender that goes away ends the app's request, or one that still waits for its turn.
   */
  async forward(incoming: ForwardRequest, response: ServerResponse): Promise<ForwardResult> {
    const exchange = this.#exchange(incoming, response);
    this.#open.add(exchange);
    const { startedAt, ...ended } = await exchange.finally(() => this.#open.delete(exchange));
    const durationMs = toMicroseconds(systemClock.monotonic() - startedAt);
    if (ended.sent.sentStatus !== null) await sentOrClosed(response);
    const { status, error, sent } = ended;
    return { url: this.#target.shown, status, durationMs, error, ...sent };
  }

  /** Ends all requests that have no whole response; nothing more is forwarded. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#open);
    this.#connections.close();
  }

  /** Waits for its turn, and then for the app. */
  async #exchange(incoming: ForwardRequest, sender: ServerResponse): Promise<Ended> {
    const limits = new ExchangeLimits(sender, this.#closing.signal);
    const waitsSince = systemClock.monotonic();
    try {
      const admission = await this.#semaphore.acquire(limits.signal);
      if (admission === 'admitted') return await this.#whenAdmitted(incoming, sender, limits);
      return {
        startedAt: waitsSince,
        status: null,
        error: admission,
        sent: sendFailure(sender, admission),
      };
    } finally {
      limits.release();
    }
  }

  async #whenAdmitted(
    incoming: ForwardRequest,
    sender: ServerResponse,
    limits: ExchangeLimits,
  ): Promise<Ended> {
    const startedAt = systemClock.monotonic();
    let app: AppResponse | undefined;
    let leave = (): void => {
      leave = () => undefined;
      this.#semaphore.release();
    };
    try {
      limits.signal.throwIfAborted();
      limits.begun(this.timeoutMs);
      const options = this.#requestOptions(incoming, limits.signal);
      app = await this.#connections.send(options, incoming.body);
      limits.responded();
      this.#semaphore.answered();
      leave();
      const { error, ...sent } = await passOn(app, sender);
      const reason = error === null ? null : (limits.exceeded ?? error);
      return { startedAt, status: app.message.statusCode!, error: reason, sent };
    } catch (thrown) {
      app?.message.destroy();
      const error = limits.exceeded ?? errorOf(thrown);
      return { startedAt, status: null, error, sent: sendFailure(sender, error) };
    } finally {
      leave();
    }
  }

  #requestOptions(incoming: ForwardRequest, signal: AbortSignal): RequestOptions {
    const { hostname, port, host, path } = this.#target;
    const headers = headersForApp(incoming, host);
    const { method } = incoming;
    return { hostname, port, method, path: path ?? originForm(incoming.path), headers, signal };
  }
}

/** Errors of Node without a system call come from what HTTP cannot carry; any other is a bug. */
function errorOf(thrown: unknown): ForwardError {
  if (thrown instanceof NoResponse) return nameOfError(thrown.cause) as ForwardError;
  const { code = '' } = thrown as NodeJS.ErrnoException;
  return code.startsWith('ERR_') ? 'protocol' : 'internal_error';
}

async function sentOrClosed(response: ServerResponse): Promise<void> {
  if (response.writableFinished || response.closed) return;
  await new Promise<void>((resolve) => {
    response.once('finish', resolve).once('close', resolve);
  });
}
