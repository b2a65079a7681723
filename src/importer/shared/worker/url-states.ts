import type { EndpointNotice } from '../../../delivery/endpoint-notice.js';
import type { QueueNotice } from '../../workers/messages.js';
import type { RunStore } from '../run-store.js';
import type { HeldItem } from './held-item.js';

export interface UrlStatesOptions {
  readonly server: Pick<RunStore, 'notify' | 'now'>;
  readonly run: string;
  /** By how many milliseconds the server's clock is ahead of that of the executions. */
  readonly aheadMs: () => number;
  /** The items in hand. */
  readonly items: () => Iterable<HeldItem>;
  /** What is known of a URL has changed; a pause ends in `forMs`. */
  readonly onChange: (url: number, notice: EndpointNotice, forMs: number) => void;
  /** A notice could not be published. */
  readonly onError: (error: unknown) => void;
}

/**
 * What the workers of a run know of its URLs: gone, paused, down. What one execution finds out is applied
 * to all others of this worker at once, and published to the other workers.
 */
export class UrlStates {
  readonly #options: UrlStatesOptions;
  readonly #gone = new Set<number>();
  /** Since when a URL is down, by the clock of the server. */
  readonly #down = new Map<number, DownNotice>();
  /** When the pause of a URL ends, by the clock of the server. */
  readonly #pausedUntil = new Map<number, number>();

  constructor(options: UrlStatesOptions) {
    this.#options = options;
  }

  /** From an execution, with times by its clock. */
  found(url: number, notice: EndpointNotice): void {
    const { server, run, aheadMs, onError } = this.#options;
    const known = shiftedNotice(notice, aheadMs());
    this.heard(url, known);
    server.notify(run, url, known).catch(onError);
  }

  /** From another worker, or stored; with times by the clock of the server. */
  heard(url: number, notice: EndpointNotice): void {
    const { server, items, onChange } = this.#options;
    const isNew = this.#note(url, notice);
    const own = shiftedNotice(notice, -this.#options.aheadMs());
    for (const item of items()) item.applyNotice(url, own);
    if (isNew) onChange(url, notice, notice.kind === 'paused' ? notice.untilMs - server.now() : 0);
  }

  /** What holds now, for an item that begins; with times by the clock of the executions. */
  current(): QueueNotice[] {
    const { server, aheadMs } = this.#options;
    const paused = [...this.#pausedUntil].filter(([, untilMs]) => untilMs > server.now());
    return [
      ...[...this.#gone].map((queue) => ({ queue, notice: { kind: 'gone' } as const })),
      ...[...this.#down].map(([queue, notice]) => ({
        queue,
        notice: shiftedNotice(notice, -aheadMs()),
      })),
      ...paused.map(([queue, untilMs]) => ({
        queue,
        notice: { kind: 'paused', untilMs: untilMs - aheadMs() } as const,
      })),
    ];
  }

  /** Whether it changes what is known; a pause that is only made longer does not. */
  #note(url: number, notice: EndpointNotice): boolean {
    if (notice.kind === 'gone') return added(this.#gone, url);
    if (notice.kind === 'up') return this.#down.delete(url);
    if (notice.kind === 'down') return this.#noteDown(url, notice);
    const before = this.#pausedUntil.get(url) ?? 0;
    this.#pausedUntil.set(url, Math.max(before, notice.untilMs));
    return before <= this.#options.server.now() && notice.untilMs > this.#options.server.now();
  }

  /** The earliest time counts, for all items: one that begins later holds back no longer than the others. */
  #noteDown(url: number, notice: DownNotice): boolean {
    const before = this.#down.get(url);
    if (!before || notice.sinceMs < before.sinceMs) this.#down.set(url, notice);
    return !before;
  }
}

type DownNotice = Extract<EndpointNotice, { kind: 'down' }>;

function shiftedNotice(notice: EndpointNotice, byMs: number): EndpointNotice {
  if (notice.kind === 'paused') return { ...notice, untilMs: notice.untilMs + byMs };
  return notice.kind === 'down' ? { ...notice, sinceMs: notice.sinceMs + byMs } : notice;
}

function added(set: Set<number>, value: number): boolean {
  const isNew = !set.has(value);
  set.add(value);
  return isNew;
}
