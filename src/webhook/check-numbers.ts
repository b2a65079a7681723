import { UsageError } from '../errors.js';

/** The options of a destination that are numbers; what is absent has its default. */
export interface NumberOptions {
  readonly timeoutMs?: number;
  readonly retryWindowMs?: number;
  readonly retryDelaysMs?: readonly number[];
  readonly concurrency?: number;
}

/**
 * A number that is none would not fail: it would wait for ever, or retry without a pause.
 * @throws UsageError that names the option.
 */
export function checkNumbers(options: NumberOptions): void {
  const { timeoutMs = 1, retryWindowMs = 0, retryDelaysMs = [0], concurrency = 1 } = options;
  checkMilliseconds('timeoutMs', timeoutMs);
  if (timeoutMs === 0) throw new UsageError('timeoutMs is 0, which leaves no time for any answer');
  checkMilliseconds('retryWindowMs', retryWindowMs);
  if (retryDelaysMs.length === 0)
    throw new UsageError('retryDelaysMs is empty; give one wait or more');
  for (const delayMs of retryDelaysMs) checkMilliseconds('retryDelaysMs', delayMs);
  if (!Number.isSafeInteger(concurrency) || concurrency < 1) {
    throw new UsageError('concurrency is a whole number of at least 1');
  }
}

function checkMilliseconds(name: string, value: number): void {
  if (Number.isFinite(value) && value >= 0) return;
  throw new UsageError(`${name} is a number of milliseconds, 0 or more`);
}
