import type { ServerResponse } from 'node:http';

/** New rows go out together, so often. */
const flushMs = 50;

/** Rows in one message. */
const rowsAtOnce = 500;

/** Tells proxies and browsers that the connection lives. */
const heartbeatMs = 15_000;

/** Rows that are kept for a while, each with a sequence number that counts up. */
export interface Feed {
  /** Of the event that carries its rows. */
  readonly name: string;
  /** Up to `most` of the rows behind this sequence number, the oldest first, and the last's number. */
  after(
    sequence: number,
    most: number,
  ): { readonly last: number; readonly rows: readonly unknown[] };
}

/** A page that listens: how far it is in each feed, and whether its connection takes more. */
interface Listener {
  readonly response: ServerResponse;
  /** Of the newest row that it was told of, by feed. */
  readonly sent: Map<Feed, number>;
  isFull: boolean;
  /** What it is to be told when it takes more: of each name the newest. */
  readonly missed: Map<string, unknown>;
}

/**
 * Server-sent events for pages. A listener that reads slowly holds up nobody and takes no memory:
 * it is told of what is still kept when it can take more.
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
   * Takes over a response, whose headers are not sent yet, until its connection ends.
   *
   * @param greeting Messages that come first, by their names.
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
    for (const [name, data] of Object.entries(greeting)) write(listener, name, data);
    // Also when there are none: the page sees that the connection stands.
    for (const feed of this.#feeds) {
      if (feed.after(0, 1).rows.length === 0) write(listener, feed.name, []);
    }
    this.#catchUp(listener);
  }

  /** Tells every listener; one that cannot take more now is told of the newest of this name later. */
  broadcast(name: string, data: unknown): void {
    for (const listener of this.#listeners) {
      if (listener.isFull) listener.missed.set(name, data);
      else write(listener, name, data);
    }
  }

  /** Some feed has new rows. */
  flushSoon(): void {
    if (this.#listeners.size === 0) return;
    this.#flush ??= setTimeout(() => {
      this.#flush = undefined;
      for (const listener of this.#listeners) this.#catchUp(listener);
    }, flushMs);
  }

  /** The rows of a feed up to this one are told of no more. */
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
        write(listener, feed.name, rows);
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
  const missed = [...listener.missed];
  listener.missed.clear();
  for (const [name, data] of missed) write(listener, name, data);
}

function write(listener: Listener, name: string, data: unknown): void {
  // JSON has no line feeds of its own, so the data is one line.
  const isTaken = listener.response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  if (!isTaken) listener.isFull = true;
}
