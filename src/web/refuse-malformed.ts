import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { endWith, pendingResponse } from './last-response.js';

/** Why a request is refused before it has a handler, or before its end. */
export interface EarlyRefusal {
  readonly status: number;
  /** Stable, snake_case. */
  readonly code: string;
  readonly reason: string;
}

/**
 * Responds to malformed and slow requests with 400, 408 or 431, after the responses to earlier ones.
 *
 * @param onRefused called once for each refused request; with the request if its body was being received, so that its
 *   handler already runs
 */
export function refuseMalformed(
  onRefused: (refusal: EarlyRefusal, request?: IncomingMessage) => void,
): (error: NodeJS.ErrnoException, socket: Socket) => void {
  const ended = new WeakSet<Socket>();
  return (error, socket) => {
    // What comes after the first error of a connection is no request.
    if (ended.has(socket)) return;
    if (awaitsResponses(error, socket)) {
      ended.add(socket);
      endWith(socket, '');
      return;
    }
    if (disconnected.has(error.code ?? '') || !socket.writable) {
      socket.destroy();
      return;
    }
    ended.add(socket);
    const { status, reason } = refusals[error.code ?? ''] ?? malformed;
    const code = status.slice(4).toLowerCase().replaceAll(' ', '_');
    onRefused({ status: Number(status.slice(0, 3)), code, reason }, requestInProgress(socket));
    endWith(socket, response(status, code, reason));
  };
}

/** Whether the client closed its side within a request, and waits for the responses to earlier ones. */
function awaitsResponses({ code }: NodeJS.ErrnoException, socket: Socket): boolean {
  return code === 'HPE_INVALID_EOF_STATE' && pendingResponse(socket) !== undefined;
}

/** The request whose body is being received. */
function requestInProgress(socket: Socket): IncomingMessage | undefined {
  const { parser } = socket as { parser?: { incoming?: IncomingMessage | null } | null };
  return parser?.incoming?.complete === false ? parser.incoming : undefined;
}

/** The client has closed the connection. */
const disconnected: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'HPE_INVALID_EOF_STATE']);

interface ErrorResponse {
  readonly status: string;
  readonly reason: string;
}

const malformed: ErrorResponse = { status: '400 Bad Request', reason: 'it is not valid HTTP/1.1' };

const refusals: Readonly<Record<string, ErrorResponse>> = {
  // Also of TLS.
  HPE_INVALID_METHOD: {
    status: '400 Bad Request',
    reason: 'it is not valid HTTP/1.1, or its method is unknown',
  },
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    reason: 'its headers are larger than 16 KB',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    reason: 'the client took too long',
  },
};

function response(status: string, code: string, reason: string): string {
  const body = JSON.stringify({ success: false, code, message: reason, error: reason });
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
