import type { Socket } from 'node:net';
import type { Clock } from '../../clock.js';
import type { Authorization } from '../../delivery/authorization.js';
import { describeResult } from '../../delivery/describe.js';
import { detailOf } from '../../delivery/describe-error.js';
import type { AttemptError } from '../../delivery/outcome.js';
import { nameOfError } from '../../delivery/verdict.js';
import type { ReceivedExcerpt } from '../../http/body-excerpt.js';
import { Connection, type Exchange } from '../../http/connection.js';
import { closedByPeer } from '../../http/connection-errors.js';
import type { Connector, SocketUser } from '../../http/connector.js';
import type { EncodedHeaders } from '../../http/encoded-headers.js';
import { IdleConnections } from '../../http/idle-connections.js';
import type { Reading } from '../../http/response-reader.js';

/** A longer body is not read further, and compared as far as it was read. */
export const maxBodyBytes = 1024 * 1024;

/** A response as it was received; redirects are not followed. */
export interface Answer {
  readonly status: number;
  /** Name, value, name, value, … */
  readonly headers: readonly string[];
  /** At most `maxBodyBytes`. */
  readonly body: Buffer;
  /** Whether the body is longer. */
  readonly isCut: boolean;
}

/** Why there was no whole response. */
export interface NoAnswer {
  readonly error: AttemptError | 'broken_off' | 'aborted';
  /** One sentence, where more is known than the name of the error. */
  readonly detail?: string | undefined;
}

/** In words, without the URL. */
export function noAnswerText({ error, detail }: NoAnswer): string {
  if (error === 'broken_off') return 'the response broke off before its end';
  if (error === 'aborted') return 'interrupted';
  return describeResult({ status: null, error, ...(detail !== undefined && { detail }) });
}

export interface HandlerClientOptions {
  readonly connector: Connector;
  readonly isTls: boolean;
  readonly sendsCertificate: boolean;
  /** To the status line, and from there to the end of the body; in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Of each request. Default: none. */
  readonly authorization?: Authorization | undefined;
  /** Closes the connections of all requests. */
  readonly signal: AbortSignal;
}

/** A request as it is written. */
export interface WrittenRequest {
  readonly method: string;
  readonly headers: EncodedHeaders;
  readonly body: Buffer;
}

const timedOut = Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' });
const interrupted = Object.assign(new Error('interrupted'), { code: 'ECONNABORTED' });
const enough = new Error('the rest of the body is not read');

/** Sends requests to one version of a handler, and reads whole responses. Nothing is retried. */
export class HandlerClient {
  readonly #options: HandlerClientOptions;
  readonly #idle: IdleConnections;
  readonly #open = new Set<Connection>();
  #hasResponded = false;

  constructor(options: HandlerClientOptions) {
    this.#options = options;
    this.#idle = new IdleConnections(options.clock);
    options.signal.addEventListener('abort', () => {
      for (const connection of this.#open) connection.close(interrupted);
    });
  }

  /**
   * Opens a connection and closes it: sends no request, so nothing takes effect. Never rejects.
   * @returns why none can be opened
   */
  async reach(): Promise<NoAnswer | undefined> {
    const { connector, clock, timeoutMs, signal } = this.#options;
    if (signal.aborted) return { error: 'aborted' };
    const attempt = new ConnectionAttempt(connector);
    const abort = (): void => attempt.end(interrupted);
    signal.addEventListener('abort', abort);
    const cancel = clock.after(timeoutMs, () => attempt.end(timedOut));
    const error = await attempt.failure;
    cancel();
    signal.removeEventListener('abort', abort);
    if (error === interrupted) return { error: 'aborted' };
    return error && this.#noAnswer(error);
  }

  /** Never rejects. */
  async send(request: WrittenRequest): Promise<Answer | NoAnswer> {
    const problem = await this.#fetchToken();
    if (problem) return problem;
    if (this.#isAborted()) return { error: 'aborted' };
    const kept = this.#idle.take();
    const ended = await this.#exchange(request, kept ?? this.#connect());
    // It was closed by the server just as it was used again: nothing has read the request.
    if (kept && ended.mayResend && !this.#isAborted()) {
      return (await this.#exchange(request, this.#connect())).result;
    }
    return ended.result;
  }

  close(): void {
    this.#idle.close(interrupted);
  }

  #isAborted(): boolean {
    return this.#options.signal.aborted;
  }

  /** Why there is no token, where one is needed. */
  async #fetchToken(): Promise<NoAnswer | undefined> {
    const { authorization } = this.#options;
    if (!authorization || authorization.line !== undefined) return undefined;
    const problem = await authorization.fetch();
    return problem && { error: 'oauth2', detail: problem.reason };
  }

  #connect(): Connection {
    return new Connection(this.#options.connector);
  }

  #exchange(request: WrittenRequest, connection: Connection): Promise<Ended> {
    const { clock, timeoutMs, authorization } = this.#options;
    this.#open.add(connection);
    return new Promise((resolve) => {
      // A comparison may have kept this thread busy: what has arrived meanwhile is read first.
      const expire = (): void => {
        const late = setImmediate(() => connection.close(timedOut));
        cancel = () => clearImmediate(late);
      };
      let cancel = clock.after(timeoutMs, expire);
      let status: number | undefined;
      let received: ReceivedExcerpt | undefined;
      const exchange: Exchange = {
        headers: request.headers,
        body: request.body,
        reading: readingOf(request),
        headerLines: () => authorization?.line ?? '',
        responded: (given) => {
          status = given;
          this.#hasResponded = true;
          cancel();
          cancel = clock.after(timeoutMs, expire);
        },
        awaitsExcerpt: () => undefined,
        explained: (excerpt) => (received = excerpt),
        draining: (isBodyWhole) => {
          if (!isBodyWhole) connection.close(enough);
        },
        ended: (error, isUntouched) => {
          cancel();
          this.#open.delete(connection);
          this.#idle.put(connection);
          if (this.#open.size === 0) this.#idle.unref();
          const isReset = nameOfError(error) === 'reset' && error !== interrupted;
          resolve({
            result: this.#resultOf(status, received, error),
            mayResend: isReset && isUntouched,
          });
        },
      };
      connection.start(exchange);
    });
  }

  #resultOf(
    status: number | undefined,
    received: ReceivedExcerpt | undefined,
    error: Error | undefined,
  ): Answer | NoAnswer {
    if (error === interrupted) return { error: 'aborted' };
    if (status === undefined || !received) return this.#noAnswer(error);
    const { body, isWhole, allHeaders = [], endsAtClose } = received;
    const isCut = body.length > maxBodyBytes;
    const hasEnded = isWhole || (endsAtClose === true && error === closedByPeer);
    if (!isCut && !hasEnded) {
      return error === timedOut ? this.#noAnswer(error) : { error: 'broken_off' };
    }
    const bytes = Buffer.from(body, 'latin1');
    return { status, headers: allHeaders, body: bytes.subarray(0, maxBodyBytes), isCut };
  }

  #noAnswer(error: Error | undefined): NoAnswer {
    const { timeoutMs, isTls, sendsCertificate } = this.#options;
    const mayExpectTls = !isTls && !this.#hasResponded;
    const mayRefuseCertificate = sendsCertificate && !this.#hasResponded;
    const detail = detailOf({ error, timeoutMs, mayExpectTls, mayRefuseCertificate });
    return { error: nameOfError(error), detail };
  }
}

/** A connection that is closed as soon as it is open. */
class ConnectionAttempt implements SocketUser {
  /** Why it could not be opened. */
  readonly failure: Promise<Error | undefined>;
  #resolve!: (failure: Error | undefined) => void;
  #socket!: Socket;
  #meaningOf = (error: Error): Error => error;

  constructor(connector: Connector) {
    this.failure = new Promise((resolve) => (this.#resolve = resolve));
    connector.open(this);
  }

  attached(socket: Socket, meaningOf = (error: Error): Error => error): void {
    this.#meaningOf = meaningOf;
    if (this.#socket === socket) return;
    this.#socket = socket;
    const lost = (error: Error): void => {
      if (this.#socket === socket) this.end(error);
    };
    socket.on('error', lost);
    socket.on('close', () => lost(closedByPeer));
  }

  opened(): void {
    this.#resolve(undefined);
    this.#socket.destroy();
  }

  read(): void {
    // A server that speaks first is there.
  }

  end(reason: Error): void {
    this.#resolve(reason === interrupted ? reason : this.#meaningOf(reason));
    this.#socket.destroy();
  }
}

interface Ended {
  readonly result: Answer | NoAnswer;
  /** Whether the connection was closed before one byte of a response. */
  readonly mayResend: boolean;
}

/** One byte more than is compared says whether there is more. */
function readingOf({ method }: WrittenRequest): Reading {
  return {
    isHead: method.toUpperCase() === 'HEAD',
    keptBytes: maxBodyBytes + 1,
    keepsHeaders: true,
  };
}
