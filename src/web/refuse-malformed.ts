import type { Socket } from 'node:net';

/** How long a refused sender may go on before the connection is cut. */
const lingerMs = 1_000;

/**
 * Answers what is no HTTP request, or is too slow to become one: 400, 408 or 431.
 *
 * @param onNote told in a line what was refused
 */
export function refuseMalformed(
  onNote: (text: string) => void,
): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    if (hasGone.has(error.code ?? '') || !socket.writable) {
      socket.destroy();
      return;
    }
    const { status, reason } = refusals[error.code ?? ''] ?? malformed;
    onNote(`refused a request: ${reason} (${status.slice(0, 3)})`);
    socket.end(response(status, reason));
    // Read on for a while, past the parser: unread bytes would reset the connection before the
    // answer is read.
    socket.removeAllListeners('data').on('data', () => undefined);
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  };
}

/** The sender has closed the connection, in the middle of a request or not. */
const hasGone: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'HPE_INVALID_EOF_STATE']);

interface Refusal {
  readonly status: string;
  readonly reason: string;
}

const malformed: Refusal = { status: '400 Bad Request', reason: 'it is not valid HTTP/1.1' };

const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    reason: 'its header is larger than 16 KB',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    reason: 'its sender took too long',
  },
};

function response(status: string, reason: string): string {
  const code = status.slice(4).toLowerCase().replaceAll(' ', '_');
  const body = JSON.stringify({ success: false, code, message: reason, error: reason });
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
