import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The app's response, whose body has not been read. */
export interface AppResponse {
  readonly message: IncomingMessage;
  /** The first error of the connection after the status line: why the body broke off. */
  readonly error: () => unknown;
}

/** There was no response. */
export class NoResponse extends Error {
  /** Whether the connection had been used before, and died before any byte of a response. */
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
    const bytes = watchBytes(request);
    let failure: unknown;
    request.on('error', (error: NodeJS.ErrnoException) => {
      failure ??= error;
      const wasDead = request.reusedSocket && !bytes.seen() && isDeath(error);
      reject(new NoResponse(error, wasDead));
    });
    request.once('response', (message) => {
      bytes.stop();
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
    request.end(body);
  });
}

/** Whether any byte of a response has come. */
function watchBytes(request: ClientRequest): { seen: () => boolean; stop: () => void } {
  let seen = false;
  let connection: Socket | undefined;
  const see = (): void => {
    seen = true;
  };
  request.once('socket', (socket) => {
    connection = socket;
    socket.once('data', see);
  });
  return { seen: () => seen, stop: () => connection?.off('data', see) };
}

function isDeath({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}
