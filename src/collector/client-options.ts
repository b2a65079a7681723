import { systemClock, type Clock } from '../clock.js';
import { defaults } from '../defaults.js';
import { UsageError } from '../errors.js';
import { nearest } from '../nearest.js';
import type { UploaderOptions } from './uploader.js';

export interface ClientOptions {
  /** The collector. A URL without a path gets `/v1/batch`; one with a path is used as it is. */
  readonly endpoint: string;
  /** Messages in a batch, sent as soon as it has so many; above 2500 means 2500. Default 20. */
  readonly flushAt?: number;
  /** Another name of `flushAt`. */
  readonly size?: number;
  /** The longest that a message waits for its batch to fill, in milliseconds. Default 5000. */
  readonly flushAfter?: number;
  /** Messages taken and not settled yet; above it calls throw `QueueFullError`. Default 10,000. */
  readonly maxQueue?: number;
  /** Batches in flight at once; they may arrive in another order than they left. Default 8. */
  readonly maxInFlight?: number;
  /** Time from the start of an attempt to the status line, in milliseconds. Default 5000. */
  readonly timeoutMs?: number;
  /** How long one batch is retried, from its first try, in milliseconds. Default 120,000; 0 tries once. */
  readonly retryWindowMs?: number;
  /** The waits between tries, in milliseconds; the last one repeats. Default 500, doubled up to 60,000. */
  readonly retryDelaysMs?: readonly number[];
  /** PEM texts of certificates to trust beside Node's own. */
  readonly ca?: readonly string[];
  readonly clock?: Clock;
  /** A number in [0, 1), for the jitter of retries. */
  readonly random?: () => number;
}

/**
 * A program that ends waits in `close()` until this is over, so it is far below that of `import`;
 * other clients of this API give up after half a minute to three minutes.
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
  if (typeof writeKey !== 'string') throw new UsageError('the write key is not text');
  if (typeof options.endpoint !== 'string') {
    throw new UsageError('endpoint is missing; give the URL of the collector, there is no default');
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
      'flushAt and size are the same option, and have different values; give one',
    );
  }
  return flushAt === undefined ? whole('size', size ?? 20) : whole('flushAt', flushAt);
}

function whole(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new UsageError(`${name} is a whole number of at least 1`);
}

function timeout(value: number): number {
  if (value !== 0) return milliseconds('timeoutMs', value);
  throw new UsageError('timeoutMs is 0, which leaves no time for any answer');
}

function milliseconds(name: string, value: number): number {
  if (Number.isFinite(value) && value >= 0) return value;
  throw new UsageError(`${name} is a number of milliseconds, 0 or more`);
}

function delays(values: readonly number[]): readonly number[] {
  if (!Array.isArray(values) || values.length === 0) {
    throw new UsageError('retryDelaysMs is a list of waits in milliseconds');
  }
  return values.map((value: number) => milliseconds('retryDelaysMs', value));
}
