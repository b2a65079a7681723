import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** The app's response, whose body has not been read. */
export interface AppResponse {
  readonly message: IncomingMessage;
  /** The first error of the connection after the status line: why the body broke off. */
  readonly error: () => unknown;
}

/** There was no response. */
export class NoResponse extends Error {
  /** Whether nothing was sent, since the connection had been used before and was dead. */
  readonly wasDead: boolean;

  constructor(cause: unknown, wasDead: boolean) {
    super('the app did not respond', { cause });
    this.wasDead = wasDead;
  }
}

/**
 * Sends the request with its body, and resolves at the status line of the final response; interim
 * responses (1xx) are not passed on.
 * @throws NoResponse if there is none, or the signal of the request is aborted before it
 */
export function askApp(request: ClientRequest, body: Buffer): Promise<AppResponse> {
  return new Promise((resolve, reject) => {
    let isSent = false;
    let failure: unknown;
    request.on('error', (error) => {
      failure ??= error;
      reject(new NoResponse(error, request.reusedSocket && !isSent));
    });
    request.once('response', (message) => {
      // It can break off before anybody reads it.
      message.on('error', () => undefined);
      resolve({ message, error: () => failure });
    });
    // The app switches protocols, or opens a tunnel; neither can be passed on.
    const leave = (_message: IncomingMessage, socket: Duplex): void => {
      socket.destroy();
      reject(new NoResponse(new Error('the app leaves HTTP'), false));
    };
    request.once('upgrade', leave).once('connect', leave);
    const end = (): void => {
      if (failure !== undefined) return;
      isSent = true;
      request.end(body);
    };
    request.once('socket', () => {
      // The app may have closed it: that is seen when the events of the connection have been read.
      if (request.reusedSocket) setImmediate(end);
      else end();
    });
  });
}
