import type { ServerResponse } from 'node:http';
import type { StreamMessages } from '../inspector/api.js';
import type { Journal } from './journal.js';
import { rowOf } from './row.js';

/** New rows go out together, so often. */
const flushMs = 50;

/** Rows in one message. */
const rowsAtOnce = 500;

/** Tells proxies and browsers that the connection lives. */
const heartbeatMs = 15_000;

/** A page that listens: how far it is, and whether its connection takes more. */
interface Listener {
  readonly response: ServerResponse;
  /** The newest request that it was told of. */
  sent: number;
  isFull: boolean;
}

/**
 * The server-sent events of the page. A listener that reads slowly holds up nobody and takes no
 * memory: it is told of what is still kept when it can take more.
 */
export class Stream {
  readonly #journal: Journal;
  readonly #listeners = new Set<Listener>();
  #flush: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
    journal.watch({ added: () => this.#flushSoon(), reset: () => this.#reset() });
  }

  /** Takes over a response, whose headers are not sent yet, until its connection ends. */
  add(response: ServerResponse): void {
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    const listener: Listener = { response, sent: 0, isFull: false };
    this.#listeners.add(listener);
    this.#heartbeat ??= setInterval(() => this.#beat(), heartbeatMs);
    response.on('drain', () => {
      listener.isFull = false;
      this.#catchUp(listener);
    });
    response.once('close', () => this.#remove(listener));
    // Also when there are none: the page sees that the connection stands.
    if (this.#journal.kept.size === 0) this.#write(listener, 'rows', []);
    this.#catchUp(listener);
  }

  /** Tells every listener. */
  broadcast<Name extends keyof StreamMessages>(name: Name, data: StreamMessages[Name]): void {
    for (const listener of this.#listeners) this.#write(listener, name, data);
  }

  #reset(): void {
    for (const listener of this.#listeners) listener.sent = this.#journal.last;
    this.broadcast('reset', {});
  }

  #flushSoon(): void {
    if (this.#listeners.size === 0) return;
    this.#flush ??= setTimeout(() => {
      this.#flush = undefined;
      for (const listener of this.#listeners) this.#catchUp(listener);
    }, flushMs);
  }

  #catchUp(listener: Listener): void {
    while (!listener.isFull) {
      const received = this.#journal.kept.after(listener.sent, rowsAtOnce);
      if (received.length === 0) return;
      listener.sent = received.at(-1)!.sequence;
      this.#write(listener, 'rows', received.map(rowOf));
    }
  }

  #write<Name extends keyof StreamMessages>(
    listener: Listener,
    name: Name,
    data: StreamMessages[Name],
  ): void {
    // JSON has no line feeds of its own, so the data is one line.
    const isTaken = listener.response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    if (!isTaken) listener.isFull = true;
  }

  #beat(): void {
    for (const { response } of this.#listeners) response.write(':\n\n');
  }

  #remove(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#flush);
    this.#heartbeat = this.#flush = undefined;
  }
}
