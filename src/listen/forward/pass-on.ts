import type { ServerResponse } from 'node:http';
import { nameOfError } from '../../delivery/verdict.js';
import type { AppResponse } from './ask-app.js';
import type { ForwardError } from './failure-response.js';
import { headersForSender, type HeaderPair } from './headers-for-sender.js';
import { BodyExcerpt, type SentResponse } from './sent-response.js';

/** How the app's response ended. */
export interface PassedOn extends SentResponse {
  /** Null when it was whole. */
  readonly error: ForwardError | null;
}

/**
 * Sends the app's response to the sender as it comes, and reads no faster than the sender does. Resolves
 * when the app's response has ended, which may be before the sender has all of it. A body that breaks off
 * breaks off for the sender too.
 * @throws TypeError or RangeError, before anything is sent, for a response that HTTP cannot carry
 */
export function passOn(response: AppResponse, sender: ServerResponse): Promise<PassedOn> {
  const { message } = response;
  const sentStatus = message.statusCode!;
  const headers = headersForSender(sentStatus, message.rawHeaders);
  sender.writeHead(sentStatus, message.statusMessage ?? '', headers.flat());
  // At once: a stream may have its first event much later. `flushHeaders` would send them as UTF-8.
  sender.write(Buffer.alloc(0));
  const body = new BodyExcerpt();
  return new Promise((resolve) => {
    const resume = (): unknown => message.resume();
    const finish = (error: ForwardError | null): void => {
      sender.off('drain', resume);
      if (error !== null) breakOff(sender, headers);
      const [bodyExcerpt, bodyBytes] = [body.excerpt(), body.bytes];
      resolve({ sentStatus, headers, bodyExcerpt, bodyBytes, error });
    };
    message.on('data', (chunk: Buffer) => {
      body.add(chunk);
      if (!sender.write(chunk)) message.pause();
    });
    message.once('end', () => sender.end());
    sender.on('drain', resume);
    const conclude = (): void => {
      finish(message.readableEnded ? null : nameOfBreak(response.error()));
    };
    // Comes after `end` as well as after an error.
    if (message.closed) conclude();
    else message.once('close', conclude);
  });
}

/** An end of the connection before that of the body is no error of the socket. */
function nameOfBreak(error: unknown): ForwardError {
  return error !== undefined && nameOfError(error) === 'protocol' ? 'protocol' : 'reset';
}

/** Ends the connection so that the sender cannot take the body for a whole one. */
function breakOff(sender: ServerResponse, headers: readonly HeaderPair[]): void {
  const { socket } = sender;
  if (!socket) sender.destroy();
  else if (tellsItsEnd(sender, headers)) socket.destroySoon();
  // The end of the connection would be the end of the body.
  else socket.resetAndDestroy();
}

function tellsItsEnd(sender: ServerResponse, headers: readonly HeaderPair[]): boolean {
  const hasLength = headers.some(([name]) => name.toLowerCase() === 'content-length');
  return sender.chunkedEncoding || hasLength;
}
