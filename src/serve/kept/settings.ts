import type { Where } from '../../config/environment.js';
import { diskSizeMessage, retentionMessage, retentionMs } from '../../config/kept.js';
import { defaults } from '../../defaults.js';
import { UsageError } from '../../errors.js';
import { durationText } from '../../output/numbers.js';
import { sizeInBytes } from '../../size.js';
import type { Log } from '../log.js';

/** How long accepted events are kept, so that they can be sent again. */
export interface KeepSettings {
  /** In milliseconds; 0: not at all. */
  readonly retentionMs: number;
  /** How much of the disk they may take, in bytes. Above it the oldest are dropped. */
  readonly maxBytes: number;
  /** The retentions of destinations that have their own, by name. */
  readonly ofDestinations: ReadonlyMap<string, number>;
}

export const keepsNothing: KeepSettings = {
  retentionMs: 0,
  maxBytes: 0,
  ofDestinations: new Map(),
};

const defaultRetentionMs = 7 * 86_400_000;
const defaultMaxBytes = 10 * 1024 ** 3;

/** How long an event that went to these destinations is kept: the longest of their retentions. */
export function retentionOf(settings: KeepSettings, destinations: readonly string[]): number {
  const { retentionMs, ofDestinations } = settings;
  if (destinations.length === 0 || ofDestinations.size === 0) return retentionMs;
  return Math.max(...destinations.map((name) => ofDestinations.get(name) ?? retentionMs));
}

/** All that are configured, in milliseconds. */
export function retentionsOf({ retentionMs, ofDestinations }: KeepSettings): number[] {
  return [retentionMs, ...ofDestinations.values()];
}

/** Whether anything is kept. */
export function isKeeping(settings: KeepSettings): boolean {
  return retentionsOf(settings).some((ms) => ms > 0);
}

/** How long events that were kept with this retention are kept by these settings: at most as long as any others. */
export function retentionNow(settings: KeepSettings, keptMs: number): number {
  const configured = retentionsOf(settings);
  return configured.includes(keptMs) ? keptMs : Math.min(keptMs, Math.max(...configured));
}

interface Section {
  readonly retention?: string | number;
}

/**
 * Of the expanded values of the configuration.
 * @throws UsageError with file, line and key path
 */
export function keepSettingsOf(
  { retention, maxDisk }: Section & { readonly maxDisk?: string },
  destinations: Readonly<Record<string, Section>>,
  where: Where,
): KeepSettings {
  const own = Object.entries(destinations).flatMap(([name, section]) => {
    if (section.retention === undefined) return [];
    const path = ['destinations', name, 'retention'];
    return [[name, retentionAt(section.retention, path, where)] as const];
  });
  return {
    retentionMs:
      retention === undefined ? defaultRetentionMs : retentionAt(retention, ['retention'], where),
    maxBytes: maxDisk === undefined ? defaultMaxBytes : sizeAt(maxDisk, where),
    ofDestinations: new Map(own),
  };
}

/** The retentions and retry windows of a routing. */
interface Retentions {
  readonly keep?: KeepSettings;
  readonly destinations: readonly { readonly name: string; readonly retryWindowMs?: number }[];
}

/** Says which destinations retry an event for longer than it is kept. */
export function warnOfShortRetention({ keep, destinations }: Retentions, log: Log): void {
  if (!keep) return;
  for (const { name, retryWindowMs = defaults.retryWindowMs } of destinations) {
    const retentionMs = retentionOf(keep, [name]);
    if (retentionMs === 0 || retentionMs >= retryWindowMs) continue;
    log.warn(
      {
        destination: name,
        retention: durationText(retentionMs / 1000),
        retryWindow: durationText(retryWindowMs / 1000),
      },
      'retention is shorter than the retry window: what still waits is kept longer, but cannot be replayed or exported; raise retention, or lower retryWindow',
    );
  }
}

function retentionAt(value: string | number, path: readonly PropertyKey[], where: Where): number {
  const ms = retentionMs(value);
  if (ms !== undefined) return ms;
  throw new UsageError(`${where(path)} ${retentionMessage}`);
}

function sizeAt(text: string, where: Where): number {
  const bytes = sizeInBytes(text);
  if (bytes !== undefined && bytes >= 1) return bytes;
  throw new UsageError(`${where(['maxDisk'])} ${diskSizeMessage(text)}`);
}
