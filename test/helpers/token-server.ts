import { startReceiver, type Receiver, type ReceiverResponse } from './receiver.js';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEachTest } from './after-each.js';

export interface TokenServer {
  readonly url: string;
  /** The forms that were posted, with the `Authorization` beside each. */
  readonly requests: { readonly authorization: string | undefined; readonly form: string }[];
}

export interface TokenAnswer {
  readonly status?: number;
  readonly body: object | string;
}

const started: (() => Promise<void>)[] = [];

/** A token endpoint on a free port of loopback; by default the n-th token is `token-<n>`. Closed after the test. */
export async function startTokenServer(
  answer: (call: number) => TokenAnswer | Promise<TokenAnswer> = (call) => ({
    body: { access_token: `token-${call}`, token_type: 'Bearer', expires_in: 3_600 },
  }),
): Promise<TokenServer> {
  const requests: { authorization: string | undefined; form: string }[] = [];
  const server = createServer((incoming, response) => {
    void buffer(incoming).then(async (bytes) => {
      const { authorization } = incoming.headers;
      requests.push({ authorization, form: bytes.toString() });
      const { status = 200, body } = await answer(requests.length);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  started.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`, requests };
}

afterEachTest(async () => {
  await Promise.all(started.splice(0).map((close) => close()));
});

/** A receiver that wants one of these tokens, and echoes what it got where it refuses. */
export function startApi(accepts: (token: string) => boolean): Promise<Receiver> {
  return startReceiver(({ headers: { authorization = '' } }): ReceiverResponse => {
    const token = authorization.replace(/^Bearer /, '');
    return accepts(token) ? {} : { status: 401, headers: { 'x-request-id': token } };
  });
}
