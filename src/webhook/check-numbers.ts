import { UsageError } from '../errors.js';

/** The numeric options of a destination; absent ones have their defaults. */
export interface NumberOptions {
  readonly timeoutMs?: number;
  readonly retryWindowMs?: number;
  readonly retryDelaysMs?: readonly number[];
  readonly concurrency?: number;
}

/**
 * Without this check NaN would not fail, but wait forever or retry without a pause.
 * @throws UsageError that names the option.
 */
export function checkNumbers(options: NumberOptions): void {
  const { timeoutMs = 1, retryWindowMs = 0, retryDelaysMs = [0], concurrency = 1 } = options;
  checkMilliseconds('timeoutMs', timeoutMs);
  if (timeoutMs === 0) throw new UsageError('timeoutMs must be greater than 0');
  checkMilliseconds('retryWindowMs', retryWindowMs);
  if (retryDelaysMs.length === 0) throw new UsageError('retryDelaysMs must not be empty');
  for (const delayMs of retryDelaysMs) checkMilliseconds('retryDelaysMs', delayMs);
  if (!Number.isSafeInteger(concurrency) || concurrency < 1) {
    throw new UsageError('concurrency must be a whole number of at least 1');
  }
}

function checkMilliseconds(name: string, value: number): void {
  if (Number.isFinite(value) && value >= 0) return;
  throw new UsageError(`${name} must be a number of milliseconds, 0 or more`);
}
