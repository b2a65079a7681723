import type { EndpointNotice } from '../../delivery/endpoint-notice.js';
import type { QueueConnection } from './connection.js';
import { RunKeys } from './keys.js';
import type { RunMessage } from './queue-server.js';
import { notifyScript } from './scripts/notify.js';

/** A notice about one URL, by its index. */
export interface UrlNotice {
  readonly url: number;
  readonly notice: EndpointNotice;
}

/** What workers found out about URLs, for those that join later. */
export class NoticeStore {
  readonly #connection: QueueConnection;
  readonly #prefix: string;
  readonly #now: () => number;

  constructor(connection: QueueConnection, prefix: string, now: () => number) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.#now = now;
  }

  async notify(run: string, url: number, notice: EndpointNotice): Promise<void> {
    const keys = new RunKeys(this.#prefix, run);
    const { field, text } = storedForm(url, notice);
    const message: RunMessage = { kind: 'notice', url, notice };
    const args = [field, text, keys.messages, JSON.stringify(message)];
    await this.#connection.script(notifyScript, [keys.record, keys.notices], args);
  }

  /** Those that still hold, by URL and kind. */
  async notices(run: string): Promise<UrlNotice[]> {
    const { notices } = new RunKeys(this.#prefix, run);
    const stored = await this.#connection.run(() => this.#connection.client.hgetall(notices));
    return Object.entries(stored)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([field, text]) => ({
        url: Number.parseInt(field, 10),
        notice: JSON.parse(text) as EndpointNotice,
      }))
      .filter(({ notice }) => notice.kind !== 'paused' || notice.untilMs > this.#now());
  }
}

/** One field per URL and kind; `up`, whose text is empty, removes `down`. */
function storedForm(url: number, notice: EndpointNotice) {
  if (notice.kind === 'up') return { field: `${url}:down`, text: '' };
  return { field: `${url}:${notice.kind}`, text: JSON.stringify(notice) };
}
