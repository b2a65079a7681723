/**
 * Exit codes of the program; documented in the README.
 * @internal
 */
export const exitCodes = {
  ok: 0,
  negative: 1,
  usage: 2,
  incomplete: 3,
  refused: 4,
  unavailable: 5,
  state: 6,
} as const;

/**
 * Base of every expected error: one line with problem, place and next step, and a code for scripts.
 * Any other error that reaches the top is a bug.
 */
export class EvfwdError extends Error {
  /** Stable, snake_case; shown in `--json` errors. */
  readonly code: string;
  /** The exit code when this error reaches the command line. */
  readonly exitCode: number;

  constructor(code: string, message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** The command line or the configuration is wrong; nothing was sent. */
export class UsageError extends EvfwdError {
  constructor(message: string, code = 'usage', options?: ErrorOptions) {
    super(code, message, exitCodes.usage, options);
  }
}

/**
 * State could not be written (disk full, directory removed).
 * @internal
 */
export class StateError extends EvfwdError {
  constructor(message: string, options?: ErrorOptions) {
    super('state_not_written', message, exitCodes.state, options);
  }
}

/** An event breaks a rule; `code` names the rule. Thrown synchronously by `Client` methods. */
export class ValidationError extends EvfwdError {
  constructor(code: string, message: string) {
    super(code, message, exitCodes.usage);
  }
}

/** The queue of a `Client` is full; the event was not accepted. */
export class QueueFullError extends EvfwdError {
  constructor(maxQueue: number) {
    super(
      'queue_full',
      `the queue is full (${maxQueue} messages); wait for flush(), or raise maxQueue`,
      exitCodes.usage,
    );
  }
}

/**
 * `, in digestOf, x-signature.cjs:12:5`: the first line of a stack trace, for a report.
 * @internal
 */
export function placeOf(stack: string): string {
  const [, name, place] =
    /^ +at (?:async )?(?:(.+) \()?(?:.*[\\/])([^\\/]+:\d+:\d+)/m.exec(stack) ?? [];
  if (!place) return '';
  return name ? `, in ${name}, ${place}` : `, at ${place}`;
}
