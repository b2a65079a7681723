import { systemClock, type Clock } from '../clock.js';
import { defaults } from '../defaults.js';
import { UsageError } from '../errors.js';
import { nearest } from '../nearest.js';
import type { UploaderOptions } from './uploader.js';

export interface ClientOptions {
  /** The collector. A URL without a path gets `/v1/batch`; one with a path is used unchanged. */
  readonly endpoint: string;
  /** Number of messages at which a batch is sent; at most 2500. Default 20. */
  readonly flushAt?: number;
  /** Another name for `flushAt`. */
  readonly size?: number;
  /** Longest time that a message waits for its batch to fill, in milliseconds. Default 5000. */
  readonly flushAfter?: number;
  /** Maximum messages queued and in flight; above it calls throw `QueueFullError`. Default 10,000. */
  readonly maxQueue?: number;
  /** Batches in flight at once; they may arrive out of order. Default 8. */
  readonly maxInFlight?: number;
  /** Time from the start of an attempt to the status line, in milliseconds. Default 5000. */
  readonly timeoutMs?: number;
  /** How long one batch is retried, from its first attempt, in milliseconds. Default 120,000; 0 attempts once. */
  readonly retryWindowMs?: number;
  /** The waits between attempts, in milliseconds; the last one repeats. Default 500, doubled up to 60,000. */
  readonly retryDelaysMs?: readonly number[];
  /** PEM texts of certificates to trust in addition to Node's own. */
  readonly ca?: readonly string[];
  readonly clock?: Clock;
  /** A number in [0, 1), for the jitter of retries. */
  readonly random?: () => number;
}

/**
 * A program that exits waits in `close()` for this long, so it is far below that of `import`. Other
 * clients of this API give up after half a minute to three minutes.
 */
const defaultRetryWindowMs = 120_000;
const defaultRetryDelaysMs = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000];

const optionNames: readonly (keyof ClientOptions)[] = [
  'endpoint',
  'flushAt',
  'size',
  'flushAfter',
  'maxQueue',
  'maxInFlight',
  'timeoutMs',
  'retryWindowMs',
  'retryDelaysMs',
  'ca',
  'clock',
  'random',
];

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
  checkNames(options);
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
      handsBack: false,
      disablesOnGone: false,
    },
  };
}

function checkNames(options: object): void {
  for (const name of Object.keys(options)) {
    if ((optionNames as readonly string[]).includes(name)) continue;
    const known = nearest(name, optionNames);
    throw new UsageError(`unknown option ${JSON.stringify(name)}; did you mean ${String(known)}?`);
  }
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
