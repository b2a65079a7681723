import type { ReceivedRequest, Reply, SimulatedEndpoint } from './network.js';
import type { WorldClock } from './clock.js';
import { hour, second, type Mode, type PlannedUrl } from './plan.js';

/** One request as an endpoint saw it; times in milliseconds since the world began. */
export interface Delivery {
  readonly host: string;
  readonly at: number;
  readonly messageId: string;
  readonly body: string;
  readonly signature: string | undefined;
  readonly mode: Mode['kind'];
  /** The status of the response, when it was read. */
  status: number | undefined;
  /** When that was. */
  readAt: number | undefined;
  /** Which run of the program sent it. */
  readonly run: number;
}

/** One URL, with the life that was planned for it. */
export class Endpoint implements SimulatedEndpoint {
  readonly planned: PlannedUrl;
  readonly deliveries: Delivery[] = [];
  /** The last pause that it has asked for; in milliseconds since the world began. */
  pause: { readonly since: number; readonly until: number; readonly run: number } | undefined;
  readonly #clock: WorldClock;
  readonly #run: () => number;
  readonly #onRequest: (delivery: Delivery) => void;
  #isHealed = false;

  constructor(
    planned: PlannedUrl,
    clock: WorldClock,
    run: () => number,
    onRequest: (delivery: Delivery) => void,
  ) {
    this.planned = planned;
    this.#clock = clock;
    this.#run = run;
    this.#onRequest = onRequest;
  }

  get mode(): Mode {
    const now = this.#clock.elapsedMs;
    if (this.#isHealed) return { kind: 'up', afterMs: 5 };
    return this.planned.life.findLast(({ at }) => at <= now)?.mode ?? { kind: 'up', afterMs: 5 };
  }

  /** Since when it accepts every event; undefined while it does not. */
  get upSince(): number | undefined {
    const now = this.#clock.elapsedMs;
    const current = this.planned.life.findLastIndex(({ at }) => at <= now);
    if (this.#isHealed || this.mode.kind !== 'up') return undefined;
    return this.planned.life[current]?.at ?? 0;
  }

  /** Since when no event can be delivered there, and each is to be retried; undefined while that is not so. */
  get failingSince(): number | undefined {
    if (this.#isHealed) return undefined;
    const now = this.#clock.elapsedMs;
    const past = this.planned.life.filter(({ at }) => at <= now);
    const lastOther = past.findLastIndex(({ mode }) => !isFailing(mode));
    return past[lastOther + 1]?.at;
  }

  /** Since when it fails every second request; undefined while it does not. */
  get halfSince(): number | undefined {
    const now = this.#clock.elapsedMs;
    const current = this.planned.life.findLast(({ at }) => at <= now);
    return this.#isHealed || current?.mode.kind !== 'half' ? undefined : current.at;
  }

  /** From now on it accepts everything. */
  heal(): void {
    this.#isHealed = true;
  }

  receive({ head, body }: ReceivedRequest): Reply | undefined {
    const { mode } = this;
    const delivery: Delivery = {
      host: this.planned.host,
      at: this.#clock.elapsedMs,
      messageId: (JSON.parse(body) as { messageId: string }).messageId,
      body,
      signature: /\r\nx-signature: (\S+)/i.exec(head)?.[1],
      mode: mode.kind,
      status: undefined,
      readAt: undefined,
      run: this.#run(),
    };
    this.deliveries.push(delivery);
    this.#onRequest(delivery);
    const read = (status: number, retryAfterSeconds?: number) => (): void => {
      delivery.status = status;
      delivery.readAt = this.#clock.elapsedMs;
      if (retryAfterSeconds === undefined || retryAfterSeconds === 0) return;
      const since = this.#clock.elapsedMs;
      // No pause lasts longer than 4 hours.
      const until = since + Math.min(retryAfterSeconds * second, 4 * hour);
      if (until > (this.pause?.until ?? 0)) this.pause = { since, until, run: delivery.run };
    };
    switch (mode.kind) {
      case 'up':
        return { afterMs: mode.afterMs, bytes: response(200), onRead: read(200) };
      case 'half': {
        const status = this.deliveries.length % 2 === 0 ? 200 : 500;
        return { afterMs: 5, bytes: response(status), onRead: read(status) };
      }
      case 'slow':
        return { afterMs: 8 * second, bytes: response(200), onRead: read(200) };
      case 'status': {
        const { status } = mode;
        // A shorter pause than the one before does not cut that.
        const share = this.deliveries.length % 3 === 0 ? 0.5 : 1;
        const retryAfterSeconds =
          mode.retryAfterSeconds && Math.ceil(mode.retryAfterSeconds * share);
        const bytes = response(status, retryAfterSeconds);
        const isPause = isFailing(mode);
        return { afterMs: 5, bytes, onRead: read(status, isPause ? retryAfterSeconds : undefined) };
      }
      case 'interim':
        return { afterMs: 5, bytes: 'HTTP/1.1 103 Early Hints\r\n\r\n' };
      case 'resetting':
        return { afterMs: 5, bytes: undefined };
      default:
        return undefined;
    }
  }
}

function isFailing(mode: Mode): boolean {
  if (mode.kind !== 'status') return mode.kind !== 'up' && mode.kind !== 'half';
  return mode.status >= 500 || [408, 425, 429].includes(mode.status);
}

function response(status: number, retryAfter?: number): string {
  const pause = retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`;
  return `HTTP/1.1 ${status} x\r\n${pause}Content-Length: 2\r\n\r\n{}`;
}
