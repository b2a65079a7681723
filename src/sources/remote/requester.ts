import { STATUS_CODES } from 'node:http';
import type { Clock } from '../../clock.js';
import { UsageError } from '../../errors.js';
import { ProxyError } from '../../http/proxy/proxy-error.js';
import { retryAfterMs } from '../../http/retry-after.js';
import { SourceError } from '../source-error.js';
import {
  deniedCode,
  NotHttpError,
  UntrustedServerError,
  type Headers,
  type HttpResponse,
} from './http-client.js';
import { RetryableError } from './retries.js';

/** Sends the requests for one object. */
export interface Transport {
  /** Without query and credentials; for messages. */
  readonly name: string;
  get(headers: Headers, signal: AbortSignal | undefined): Promise<HttpResponse>;
  /** The next step after a status that is not retried; `code` is what the body calls the error. */
  adviceFor(status: number, code: string | undefined): string;
}

/** Turns all that is no expected response into the error that says what to do. */
export class Requester {
  readonly #transport: Transport;
  readonly #clock: Clock;
  #hasAnswered = false;

  constructor(transport: Transport, clock: Clock) {
    this.#transport = transport;
    this.#clock = clock;
  }

  get name(): string {
    return this.#transport.name;
  }

  /**
   * A response with one of these statuses.
   *
   * @throws RetryableError if another attempt may succeed
   * @throws UsageError, or SourceError if there was an expected response before
   */
  async get(
    headers: Headers,
    signal: AbortSignal | undefined,
    expected: readonly number[],
  ): Promise<HttpResponse> {
    try {
      const response = await this.#transport.get(headers, signal);
      if (!expected.includes(response.status)) throw await this.#refusal(response);
      this.#hasAnswered = true;
      return response;
    } catch (error) {
      throw this.#explained(error);
    }
  }

  async #refusal(response: HttpResponse): Promise<Error> {
    const { status } = response;
    const code = await errorCodeOf(response);
    const reason =
      `HTTP ${status} ${STATUS_CODES[status] ?? ''}`.trim() + (code ? ` (${code})` : '');
    if (isRetryable(status)) {
      const waitMs = retryAfterMs(response.header('retry-after'), this.#clock.now());
      return new RetryableError(reason, waitMs === undefined ? {} : { waitMs });
    }
    return this.#failed(reason, this.#transport.adviceFor(status, code));
  }

  #explained(error: unknown): unknown {
    if (error instanceof UntrustedServerError) {
      const reason = `the certificate of the server is not trusted (${error.message})`;
      return this.#failed(reason, 'pass the certificate of its authority with --source-ca', error);
    }
    if (error instanceof NotHttpError) return this.#failed(error.message, 'check the URL', error);
    if (!this.#hasAnswered && error instanceof RetryableError && isMistyped(error)) {
      const isOfProxy = error.cause instanceof ProxyError;
      return this.#failed(error.message, isOfProxy ? 'check --proxy' : 'check the URL', error);
    }
    return error;
  }

  /** Before the first byte it is for the user to change the command; later the reading has ended early. */
  #failed(reason: string, advice: string, cause?: unknown): Error {
    if (this.#hasAnswered) return new SourceError(reason, { advice, cause });
    return new UsageError(`${this.name}: ${reason}; ${advice}`, 'unreadable_source', { cause });
  }
}

function isRetryable(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** Nobody waits ten minutes for a mistyped host, port or password. */
function isMistyped({ code }: RetryableError): boolean {
  return mistyped.has(code ?? '');
}

const mistyped = new Set(['ENOTFOUND', 'ECONNREFUSED', deniedCode]);

const maxErrorBytes = 16 * 1024;

/** What S3, Google and Azure call the error; the rest of their texts may repeat what is secret. */
async function errorCodeOf(response: HttpResponse): Promise<string | undefined> {
  const azure = response.header('x-ms-error-code');
  const text = await response.text(maxErrorBytes).catch(() => '');
  const code = /<Code>([^<]*)<\/Code>/.exec(text)?.[1] ?? azure;
  return code !== undefined && /^[A-Za-z.]{1,64}$/.test(code) ? code : undefined;
}
