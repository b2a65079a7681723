/** A message of a stream of server-sent events. */
export interface StreamMessage {
  readonly event: string;
  readonly data: string;
}

/**
 * Reads server-sent events from text that comes in pieces, cut anywhere. An `EventSource` would do
 * so by itself, but cannot send a token.
 */
export class EventStreamReader {
  #rest = '';
  #event = '';
  #data: string[] = [];

  /** Takes a piece, and returns the messages that it completes. */
  push(piece: string): StreamMessage[] {
    const text = this.#rest + piece;
    // A line feed that belongs to a return may follow in the next chunk.
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(/\r\n|\n|\r/);
    this.#rest = lines.pop()! + text.slice(end);
    return lines.flatMap((line) => this.#take(line) ?? []);
  }

  #take(line: string): StreamMessage | undefined {
    if (line === '') return this.#finish();
    const [, name, value] = /^([^:]*):? ?(.*)$/su.exec(line)!;
    if (name === 'event') this.#event = value!;
    if (name === 'data') this.#data.push(value!);
    return undefined;
  }

  #finish(): StreamMessage | undefined {
    const message = { event: this.#event || 'message', data: this.#data.join('\n') };
    const isEmpty = this.#data.length === 0;
    this.#event = '';
    this.#data = [];
    return isEmpty ? undefined : message;
  }
}
