import { StateError } from '../../errors.js';

/** Why one call of a request was not taken, for a client that asked to be told. */
export interface CallReason {
  /** Place of the call in its batch, from 0. */
  readonly index: number;
  readonly code: string;
  readonly message: string;
}

export interface RefusalOptions extends ErrorOptions {
  /** Beside the usual headers of an answer. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly errors?: readonly CallReason[];
}

/** Thrown where a request is not taken: it becomes the answer. Carries no text of the request. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  /** Stable, snake_case. */
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly #errors: readonly CallReason[] | undefined;

  constructor(status: number, code: string, message: string, options: RefusalOptions = {}) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.headers = options.headers ?? {};
    this.#errors = options.errors;
  }

  /** Python's client needs `code`, Go's `message`, Ruby's `error`: else they send again or fail. */
  get body(): string {
    const { code, message } = this;
    const errors = this.#errors;
    return JSON.stringify({ success: false, code, message, error: message, errors });
  }
}

/** Makes a refusal of whatever was thrown on the way to an answer. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof StateError) {
    const message = 'the events cannot be stored at the moment; send them again';
    return new Refusal(503, error.code, message, { headers: retryLater, cause: error });
  }
  const { statusCode, message } = error as { statusCode?: number; message?: string };
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new Refusal(statusCode, 'bad_request', message ?? 'the request is not valid');
  }
  return new Refusal(500, 'unexpected', 'unexpected; a bug of evfwd, please report it', {
    cause: error,
  });
}

/** Seconds; few clients honour it at 503, all of them try again. */
export const retryLater = { 'Retry-After': '5' };
