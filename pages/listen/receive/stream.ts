import { apiPrefix, type StreamMessages } from '../../../src/api/listen.js';

/** The handlers of the messages of the stream. */
export type StreamHandlers = {
  readonly [Name in keyof StreamMessages]: (data: StreamMessages[Name]) => void;
} & {
  /** A connection is open; all kept rows follow. */
  readonly opened: () => void;
  /** The connection is lost; a new one is attempted. */
  readonly lost: () => void;
};

/** A browser reconnects by itself, but not after a response that is not a stream. */
const retryMs = 2000;

/** Follows the receiver, and connects again for as long as the page is open. */
export function followStream(handlers: StreamHandlers): void {
  const source = new EventSource(`${apiPrefix}/stream`);
  source.addEventListener('open', handlers.opened);
  source.addEventListener('error', () => {
    handlers.lost();
    if (source.readyState === EventSource.CLOSED) setTimeout(() => followStream(handlers), retryMs);
  });
  listen(source, 'rows', handlers.rows);
  listen(source, 'reset', handlers.reset);
  listen(source, 'faults', handlers.faults);
}

function listen<Name extends keyof StreamMessages>(
  source: EventSource,
  name: Name,
  handle: (data: StreamMessages[Name]) => void,
): void {
  source.addEventListener(name, (message: MessageEvent<string>) =>
    handle(JSON.parse(message.data) as StreamMessages[Name]),
  );
}
