import type { ServiceMessages } from '../../../src/api/serve.js';

/** The handlers of the messages of the stream. */
export type FollowHandlers = {
  readonly [Name in keyof ServiceMessages]: (data: ServiceMessages[Name]) => void;
} & {
  /** A connection is open; all kept rows follow. */
  readonly opened: () => void;
  /** The connection is lost; a new one is attempted. */
  readonly lost: () => void;
  /** The token is not valid, or no longer: the stream has ended. */
  readonly refused: () => void;
};

const retryMs = 2000;

/** The service sends a message every 15 seconds. */
const idleTimeoutMs = 50_000;

/** Follows the service, and connects again until it is aborted, or refused. */
export async function follow(
  connect: (signal: AbortSignal) => Promise<Response>,
  handlers: FollowHandlers,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const response = await connect(signal).catch(() => undefined);
    if (response?.status === 401) handlers.refused();
    if (response?.status === 401 || isAborted(signal)) return;
    if (response?.ok && response.body) {
      handlers.opened();
      const reader = response.body.getReader();
      await readAll(reader, handlers).catch(() => undefined);
      await reader.cancel().catch(() => undefined);
    }
    if (isAborted(signal)) return;
    handlers.lost();
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

/** It changes while we wait. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

async function readAll(
  stream: ReadableStreamDefaultReader<Uint8Array>,
  handlers: FollowHandlers,
): Promise<void> {
  const decoder = new TextDecoder();
  const messages = new EventStreamReader();
  for (;;) {
    const { done, value } = await withTimeout(stream.read());
    if (done) return;
    for (const { event, data } of messages.push(decoder.decode(value, { stream: true }))) {
      handle(handlers, event, data);
    }
  }
}

/** A connection without any message for too long counts as lost. */
async function withTimeout<T>(reading: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('idle')), idleTimeoutMs);
  });
  return Promise.race([reading, timeout]).finally(() => clearTimeout(timer));
}

function handle(handlers: FollowHandlers, event: string, data: string): void {
  if (event === 'deliveries' || event === 'rejected') handlers[event](JSON.parse(data) as never);
  if (event === 'overview') handlers.overview(JSON.parse(data) as ServiceMessages['overview']);
}

/** A message of a stream of server-sent events. */
interface StreamMessage {
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
