/** Offsets change at quarters of an hour. */
const blockSeconds = 900;
const maxCachedBlocks = 4096;
const daySeconds = 86_400;
/** The year 1800: no zone changed before, and years of two eras need not be told apart. */
const firstChange = -5_364_662_400;
const fixedOffset = /^([+-])(\d{2}):?(\d{2})$/;

/** Whether `Zone` knows it: an IANA name as of this Node.js, or an offset like `+02:00`. */
export function isZone(name: string): boolean {
  if (fixedOffset.test(name)) return true;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Turns local times of a zone into UTC. */
export class Zone {
  readonly #format: Intl.DateTimeFormat | undefined;
  readonly #fixed: number;
  readonly #offsets = new Map<number, number>();

  constructor(name: string) {
    const [, sign, hours, minutes] = fixedOffset.exec(name) ?? [];
    this.#fixed = sign ? Number(`${sign}1`) * (Number(hours) * 3600 + Number(minutes) * 60) : 0;
    if (sign || name === 'UTC') return;
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /**
   * Seconds since 1970 in UTC of a local time, which is given as if it were UTC. A time that occurs twice, as
   * clocks are set back, is the first of both; one that clocks jump over is taken by the offset before
   * the jump: 02:30 is then 03:30.
   */
  toUtc(local: number): number {
    const before = this.#offsetAt(local - daySeconds);
    const after = this.#offsetAt(local + daySeconds);
    if (before === after || this.#offsetAt(local - before) === before) return local - before;
    return this.#offsetAt(local - after) === after ? local - after : local - before;
  }

  /** Seconds that local time is ahead of UTC. */
  #offsetAt(utc: number): number {
    if (!this.#format) return this.#fixed;
    const block = Math.floor(Math.max(utc, firstChange) / blockSeconds);
    const known = this.#offsets.get(block);
    if (known !== undefined) return known;
    if (this.#offsets.size === maxCachedBlocks) this.#offsets.clear();
    const offset = offsetOf(this.#format, block * blockSeconds);
    this.#offsets.set(block, offset);
    return offset;
  }
}

function offsetOf(format: Intl.DateTimeFormat, utc: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(utc * 1000)) parts[type] = Number(value);
  const { year, month, day, hour, minute, second } = parts;
  const local = new Date(0);
  local.setUTCFullYear(year!, month! - 1, day);
  local.setUTCHours(hour!, minute, second);
  return local.getTime() / 1000 - utc;
}
