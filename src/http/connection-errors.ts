/** The peer has closed the connection. */
export const closedByPeer = Object.assign(new Error('connection closed'), { code: 'ECONNRESET' });

/** The code of the error when a request in plain HTTP is answered in TLS. */
export const tlsPortCode = 'EVFWD_TLS_PORT';

const notHttp = new Error('the response is not HTTP, or cannot be read to its end');
const tlsPort = Object.assign(new Error('the response is TLS'), { code: tlsPortCode });

/** The error of a response that begins with `bytes[0, length)` and cannot be read. */
export function unreadable(bytes: Uint8Array, length: number): Error {
  return isTlsAlert(bytes, length) ? tlsPort : notHttp;
}

/** A TLS record that carries an alert, RFC 8446 section 5.1. */
function isTlsAlert(bytes: Uint8Array, length: number): boolean {
  return length >= 2 && bytes[0] === 0x15 && bytes[1] === 0x03;
}
