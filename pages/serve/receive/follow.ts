import type { ServiceMessages } from '../../../src/api/serve.js';
import { EventStreamReader } from './event-stream.js';

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
const silenceMs = 50_000;

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
    const { done, value } = await soon(stream.read());
    if (done) return;
    for (const { event, data } of messages.push(decoder.decode(value, { stream: true }))) {
      handle(handlers, event, data);
    }
  }
}

/** A connection without any message for too long counts as lost. */
async function soon<T>(reading: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('silent')), silenceMs);
  });
  return Promise.race([reading, silence]).finally(() => clearTimeout(timer));
}

function handle(handlers: FollowHandlers, event: string, data: string): void {
  if (event === 'deliveries' || event === 'rejected') handlers[event](JSON.parse(data) as never);
  if (event === 'overview') handlers.overview(JSON.parse(data) as ServiceMessages['overview']);
}
