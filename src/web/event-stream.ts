import type { ServerResponse } from 'node:http';

/** How often new rows are sent. */
const flushMs = 50;

/** Rows in one message. */
const rowsAtOnce = 500;

/** Keeps the connection open in proxies and browsers. */
const heartbeatMs = 15_000;

/** A bounded list of rows, each with an increasing sequence number. */
export interface Feed {
  /** Name of the event that carries its rows. */
  readonly name: string;
  /** Up to `limit` rows after this sequence number, the oldest first, and the number of the last. */
  after(
    sequence: number,
    limit: number,
  ): { readonly last: number; readonly rows: readonly unknown[] };
}

/** A connected page: its position in each feed, and whether its connection accepts more. */
interface Listener {
  readonly response: ServerResponse;
  /** Sequence number of the last row sent, by feed. */
  readonly sent: Map<Feed, number>;
  isFull: boolean;
  /** Messages to send when the connection drains: the newest broadcast of each name. */
  readonly missed: Map<string, string>;
}

/**
 * Server-sent events for pages. A slow listener blocks nobody and takes no memory: when its
 * connection drains, it gets the rows that are still kept.
 */
export class EventStream {
  readonly #feeds: readonly Feed[];
  readonly #listeners = new Set<Listener>();
  #flush: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(feeds: readonly Feed[]) {
    this.#feeds = feeds;
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /**
   * Streams to a response, whose headers are not sent yet, until its connection ends.
   *
   * @param greeting Messages that are sent first, by their names.
   */
  add(response: ServerResponse, greeting: Readonly<Record<string, unknown>> = {}): void {
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    const listener: Listener = { response, sent: new Map(), isFull: false, missed: new Map() };
    this.#listeners.add(listener);
    this.#heartbeat ??= setInterval(() => this.#beat(), heartbeatMs);
    response.on('drain', () => {
      listener.isFull = false;
      reportMissed(listener);
      this.#catchUp(listener);
    });
    response.once('close', () => this.#remove(listener));
    for (const [name, data] of Object.entries(greeting)) write(listener, messageOf(name, data));
    // Also when there are none: the page sees that it is connected.
    for (const feed of this.#feeds) {
      if (feed.after(0, 1).rows.length === 0) write(listener, messageOf(feed.name, []));
    }
    this.#catchUp(listener);
  }

  /** Sends to every listener; one whose connection is full gets the newest of this name later. */
  broadcast(name: string, data: unknown): void {
    const message = messageOf(name, data);
    for (const listener of this.#listeners) {
      if (listener.isFull) listener.missed.set(name, message);
      else write(listener, message);
    }
  }

  /** A feed has new rows. */
  flushSoon(): void {
    if (this.#listeners.size === 0) return;
    this.#flush ??= setTimeout(() => {
      this.#flush = undefined;
      for (const listener of this.#listeners) this.#catchUp(listener);
    }, flushMs);
  }

  /** Rows of a feed up to this one are not sent any more. */
  skipTo(feed: Feed, sequence: number): void {
    for (const { sent } of this.#listeners) sent.set(feed, sequence);
  }

  /** Ends every connection. */
  close(): void {
    for (const { response } of this.#listeners) response.end();
  }

  #catchUp(listener: Listener): void {
    for (const feed of this.#feeds) {
      while (!listener.isFull) {
        const { last, rows } = feed.after(listener.sent.get(feed) ?? 0, rowsAtOnce);
        if (rows.length === 0) break;
        listener.sent.set(feed, last);
        write(listener, messageOf(feed.name, rows));
      }
    }
  }

  #beat(): void {
    for (const { response, isFull } of this.#listeners) if (!isFull) response.write(':\n\n');
  }

  #remove(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#flush);
    this.#heartbeat = this.#flush = undefined;
  }
}

function reportMissed(listener: Listener): void {
  const missed = [...listener.missed.values()];
  listener.missed.clear();
  for (const message of missed) write(listener, message);
}

/** JSON text has no newlines, so the data is one line. */
function messageOf(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

function write(listener: Listener, message: string): void {
  if (!listener.response.write(message)) listener.isFull = true;
}
