import { systemClock } from '../clock.js';
import { defaults } from '../defaults.js';
import { UsageError } from '../errors.js';
import { checkOptionNames } from '../option-names.js';
import type { ClientOptions } from './client-options.js';
import type { UploaderOptions } from './uploader.js';

/**
 * A program that exits waits in `close()` for this long, so it is far below that of `import`. Other
 * clients of this API give up after half a minute to three minutes.
 */
const defaultRetryWindowMs = 120_000;
const defaultRetryDelaysMs = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000];

const optionNames: Record<keyof ClientOptions, true> = {
  endpoint: true,
  flushAt: true,
  size: true,
  flushAfter: true,
  maxQueue: true,
  maxInFlight: true,
  timeoutMs: true,
  retryWindowMs: true,
  retryDelaysMs: true,
  ca: true,
  clock: true,
  random: true,
};

/** Options with their defaults, checked. */
export interface ClientSettings {
  readonly maxQueue: number;
  readonly uploader: UploaderOptions;
}

/** @throws UsageError that names the option. */
export function clientSettings(
  writeKey: string,
  options: Partial<ClientOptions> = {},
): ClientSettings {
  checkOptionNames(options, optionNames);
  if (typeof writeKey !== 'string') throw new UsageError('the write key must be a string');
  if (typeof options.endpoint !== 'string') {
    throw new UsageError(
      'endpoint is missing; pass the URL of the collector (there is no default)',
    );
  }
  return {
    maxQueue: whole('maxQueue', options.maxQueue ?? 10_000),
    uploader: {
      writeKey,
      endpoint: options.endpoint,
      flushAt: flushAtOf(options),
      flushAfterMs: milliseconds('flushAfter', options.flushAfter ?? 5_000),
      maxInFlight: whole('maxInFlight', options.maxInFlight ?? 8),
      timeoutMs: timeout(options.timeoutMs ?? defaults.timeoutMs),
      retries: {
        windowMs: milliseconds('retryWindowMs', options.retryWindowMs ?? defaultRetryWindowMs),
        delaysMs: delays(options.retryDelaysMs ?? defaultRetryDelaysMs),
        random: options.random ?? Math.random,
      },
      ca: options.ca,
      clock: options.clock ?? systemClock,
      returnsRetries: false,
      disablesOnGone: false,
    },
  };
}

function flushAtOf({ flushAt, size }: Partial<ClientOptions>): number {
  if (flushAt !== undefined && size !== undefined && flushAt !== size) {
    throw new UsageError(
      'flushAt and size are the same option, but have different values; pass only one',
    );
  }
  return flushAt === undefined ? whole('size', size ?? 20) : whole('flushAt', flushAt);
}

function whole(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new UsageError(`${name} must be a whole number of at least 1`);
}

function timeout(value: number): number {
  if (value !== 0) return milliseconds('timeoutMs', value);
  throw new UsageError('timeoutMs must be greater than 0');
}

function milliseconds(name: string, value: number): number {
  if (Number.isFinite(value) && value >= 0) return value;
  throw new UsageError(`${name} must be a number of milliseconds, 0 or more`);
}

function delays(values: readonly number[]): readonly number[] {
  if (!Array.isArray(values) || values.length === 0) {
    throw new UsageError('retryDelaysMs must be a list of waits in milliseconds');
  }
  return values.map((value: number) => milliseconds('retryDelaysMs', value));
}
