import { StateError } from '../../errors.js';

/** Why one call of a request was rejected, for a client in strict mode. */
export interface CallReason {
  /** Position of the call in its batch, from 0. */
  readonly index: number;
  readonly code: string;
  readonly message: string;
}

/** What only the log says of a refused request. Of the request it has at most a path that is near one of the service. */
export interface LogNote {
  readonly fields: Readonly<Record<string, string>>;
  /** In few words, after the message; those of one text are counted together. */
  readonly nextStep: string;
}

export interface RefusalOptions extends ErrorOptions {
  readonly note?: LogNote | undefined;
  /** In addition to the usual response headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly errors?: readonly CallReason[];
}

/** Thrown to refuse a request; becomes the response. Contains no text of the request. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  /** Stable, snake_case. */
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly note: LogNote | undefined;
  readonly #errors: readonly CallReason[] | undefined;

  constructor(status: number, code: string, message: string, options: RefusalOptions = {}) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.headers = options.headers ?? {};
    this.note = options.note;
    this.#errors = options.errors;
  }

  /** Python's client needs `code`, Go's `message`, Ruby's `error`; without them they resend or fail. */
  get body(): string {
    const { code, message } = this;
    const errors = this.#errors;
    return JSON.stringify({ success: false, code, message, error: message, errors });
  }
}

/** Turns any exception of a handler into a refusal. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof StateError) {
    const message = 'the events cannot be stored; send them again later';
    return new Refusal(503, error.code, message, { headers: retryLater, cause: error });
  }
  return new Refusal(500, 'unexpected', 'internal error of evfwd; please report it', {
    cause: error,
  });
}

/** Seconds; few clients honor it for 503, but all of them retry. */
export const retryLater = { 'Retry-After': '5' };
