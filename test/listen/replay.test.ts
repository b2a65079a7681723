import { gzipSync } from 'node:zlib';
import twilio from 'twilio';
import { describe, expect, it } from 'vitest';
import type { ReplayRequest, ReplayResult } from '../../src/api/listen.js';
import { sign } from '../../src/sign/x-signature.js';
import { reply, startRawServer } from '../helpers/raw-server.js';
import { listening, raw, verifying, type Listening } from './listening.js';

async function send(listener: Listening, request: ReplayRequest) {
  return fetch(`${listener.url}/_evfwd/api/replay`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-evfwd-token': listener.token,
      origin: listener.url,
    },
    body: JSON.stringify(request),
  });
}

async function replayed(listener: Listening, request: ReplayRequest): Promise<ReplayResult> {
  return (await send(listener, request)).json() as Promise<ReplayResult>;
}

const ids = ({ got }: Listening): string[] => got().map(({ id }) => id);

/** A listener that received these bodies, with a signature of another secret. */
async function filled(...bodies: (string | Buffer)[]): Promise<Listening> {
  const listener = await listening({ secret: 'ours' });
  for (const body of bodies) {
    await fetch(`${listener.url}/hook?q`, {
      method: 'POST',
      headers: {
        'x-signature': sign(body, 'theirs'),
        authorization: 'Basic a2V5Og==',
        'content-type': 'text/plain',
        connection: 'close',
      },
      body,
    });
  }
  return listener;
}

it.each([
  [['X Y', 'a'], /"X Y" is not a valid header name/],
  [['X-A', 'secret\n'], /the value of X-A has a character/],
])('refuses the edited header %j', async ([name, value], reason) => {
  const listener = await filled('x');
  const edited = { headers: [[name!, value!] as const] };
  const response = await send(listener, {
    ...{ ids: ids(listener), url: 'http://127.0.0.1:1/', signature: 'again' },
    edited,
  });
  expect(response.status).toBe(400);
  const text = await response.text();
  expect((JSON.parse(text) as { error: { message: string } }).error.message).toMatch(reason);
  expect(text).not.toContain('secret');
});

describe('a replay', () => {
  it('tells what each response said, whatever its status, without the secret', async () => {
    const target = await startRawServer({
      response: (_request, i) => reply(i === 0 ? 401 : 200, { server: 's' }, 'not ours, theirs'),
    });
    const listener = await filled('{"a":1}', '{"a":2}');
    const request = { ids: ids(listener), url: target.url, signature: 'again' } as const;
    const { results } = await replayed(listener, request);
    expect(results).toMatchObject([
      { status: 401, response: { headers: { server: 's' }, body: 'not ***, theirs' } },
      { status: 200, response: { headers: {}, body: 'not ***, theirs' } },
    ]);
  });

  it('posts the same bytes one after the other, signed again', async () => {
    const target = await startRawServer();
    const bodies = ['{"a":1.0}', Buffer.from([0, 255, 254]), ''];
    const listener = await filled(...bodies);
    const { results } = await replayed(listener, {
      ids: ids(listener),
      url: `${target.url}?x=1`,
      signature: 'again',
    });
    expect(results).toMatchObject(ids(listener).map((id) => ({ id, status: 200, error: null })));
    expect(target.requests.map(({ body }) => body)).toEqual(
      bodies.map((body) => Buffer.from(body)),
    );
    for (const { method, path, headers, body } of target.requests) {
      expect([method, path]).toEqual(['POST', '/hook?x=1']);
      const names = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
      expect(names).toMatchObject({
        'content-type': 'text/plain',
        'x-signature': sign(body, 'ours'),
      });
      expect(names['user-agent']).toMatch(/^evfwd\//);
      // Headers about the sender are not passed on.
      expect(names).not.toHaveProperty('authorization');
    }
  });

  it('sends the encoding of a compressed body', async () => {
    const target = await startRawServer();
    const listener = await listening();
    const body = gzipSync('{}');
    await fetch(listener.url, { method: 'POST', headers: { 'content-encoding': 'gzip' }, body });
    await replayed(listener, { ids: ids(listener), url: target.url, signature: 'again' });
    expect(target.requests[0]!.headers).toContainEqual(['Content-Encoding', 'gzip']);
    expect(target.requests[0]!.body).toEqual(body);
  });

  it('as captured has the received headers, except those of the connection', async () => {
    const target = await startRawServer();
    const listener = await listening();
    await raw(
      listener.port,
      'POST /a HTTP/1.1\r\nHost: a\r\nX-Odd: \xe9\r\nX-Two: 1\r\nX-Two: 2\r\nX-Signature: abc\r\nX-Hop: 1\r\nConnection: close, X-Hop\r\nExpect: nothing\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n',
    );
    await replayed(listener, { ids: ids(listener), url: target.url, signature: 'captured' });
    const { headers, body } = target.requests[0]!;
    expect(body.toString()).toBe('hi');
    const own = headers.filter(([name]) => name.startsWith('X-'));
    expect(own.map(([name]) => name)).toEqual(['X-Odd', 'X-Two', 'X-Two', 'X-Signature']);
    expect(headers.map(([name]) => name.toLowerCase())).not.toContain('transfer-encoding');
    expect(headers).toContainEqual(['host', `127.0.0.1:${target.port}`]);
  });

  it('reports the result of each', async () => {
    const responses = [reply(503), reply(302, { location: '/elsewhere' }), reply(410), reply(200)];
    const target = await startRawServer({ response: (_request, index) => responses[index] });
    const listener = await filled('1', '2', '3', '4');
    const { results } = await replayed(listener, {
      ids: [...ids(listener), 'none-9'],
      url: target.url,
      signature: 'captured',
    });
    expect(results.map(({ status, error }) => [status, error])).toEqual([
      [503, null],
      [302, null],
      [410, null],
      [200, null],
      [null, 'not_kept'],
    ]);
    expect(results[0]!.durationMs).toBeGreaterThan(0);
  });

  it('sends an edited request: its headers, its bytes, signed again', async () => {
    const target = await startRawServer();
    const listener = await filled('{"a":1}');
    const headers = [
      ['Content-Type', 'text/csv'],
      ['X-Two', '1'],
      ['X-Two', '\u00e9'],
      ['x-signature', 'old'],
      ['Content-Length', '99'],
    ] as const;
    const request = { ids: ids(listener), url: target.url };
    const bodies = [{ body: 'a\r\n\u00fc' }, { bodyBase64: 'AP/+' }];
    for (const signature of ['again', 'captured'] as const) {
      for (const body of bodies) {
        const edited = { headers, ...body };
        const { results } = await replayed(listener, { ...request, signature, edited });
        expect(results).toMatchObject([{ status: 200 }]);
      }
    }
    const sent = [Buffer.from('a\r\n\u00fc'), Buffer.from([0, 255, 254])];
    expect(target.requests.map(({ body }) => body)).toEqual([...sent, ...sent]);
    for (const [i, { headers: got, body }] of target.requests.entries()) {
      const valuesOf = (name: string) =>
        got.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
      expect(valuesOf('content-type')).toEqual(['text/csv']);
      expect(valuesOf('x-two')).toEqual(['1', '\u00e9']);
      expect(valuesOf('x-signature')).toEqual([i < 2 ? sign(body, 'ours') : 'old']);
      expect(valuesOf('content-length')).toEqual([String(body.length)]);
    }
  });

  it('signs a form of twilio as a form, also where the edits make it one', async () => {
    const target = await startRawServer();
    const listener = await listening({ verification: verifying('token', 'twilio') });
    const type = 'application/x-www-form-urlencoded';
    const params = { To: '+1800', Body: 'a b' };
    const url = `${listener.url}/hook?q=1`;
    const signature = twilio.getExpectedTwilioSignature('token', url, params);
    const headers = { 'content-type': type, 'x-twilio-signature': signature };
    const body = 'To=%2B1800&Body=a+b';
    await fetch(url, { method: 'POST', headers, body });
    expect(listener.got()).toMatchObject([{ signature: 'valid', scheme: 'twilio' }]);
    const asJson = { headers: [['Content-Type', 'application/json'] as const], body: '{}' };
    const edits = [undefined, { headers: [['content-type', type] as const], body }, asJson];
    for (const edited of edits) {
      const request = { ids: ids(listener), url: `${target.url}?x=1`, signature: 'again' } as const;
      await replayed(listener, { ...request, ...(edited && { edited }) });
    }
    const valuesOf = (index: number) => {
      const { path, headers: got } = target.requests[index]!;
      const found = got.find(([name]) => name.toLowerCase() === 'x-twilio-signature');
      return [`http://127.0.0.1:${target.port}${path}`, found![1]] as const;
    };
    for (const index of [0, 1]) {
      const [to, value] = valuesOf(index);
      expect(to).toBe(`${target.url}?x=1`);
      expect(value).toBe(twilio.getExpectedTwilioSignature('token', to, params));
    }
    const [to, value] = valuesOf(2);
    expect(twilio.validateRequestWithBody('token', value, to, '{}')).toBe(true);
  });

  it('of a body that was too large to be kept does not post an empty one', async () => {
    const target = await startRawServer();
    const listener = await filled(Buffer.alloc(1_048_577));
    const request = { ids: ids(listener), url: target.url, signature: 'again' } as const;
    expect((await replayed(listener, request)).results).toMatchObject([{ error: 'not_kept' }]);
    expect(target.requests).toEqual([]);
  });

  it('to a closed port is an error of each request', async () => {
    const listener = await filled('x');
    const target = await startRawServer();
    await target.close();
    const request = { ids: ids(listener), url: target.url, signature: 'again' } as const;
    expect((await replayed(listener, request)).results).toMatchObject([
      { status: null, error: 'refused' },
    ]);
  });

  it('may arrive at the receiver itself', async () => {
    const listener = await filled('{"type":"track","event":"E","userId":"u"}');
    const url = `${listener.url}/again`;
    const request = { ids: ids(listener), url, signature: 'again' } as const;
    expect((await replayed(listener, request)).results).toMatchObject([{ status: 200 }]);
    expect(listener.got().at(-1)).toMatchObject({ path: '/again', signature: 'valid' });
  });

  it.each([
    [{ ids: [], url: 'ftp://a/', signature: 'again' }, /http:\/\/ or https:\/\//],
    [{ ids: [], url: 'localhost:1/x', signature: 'again' }, /did you mean http:\/\/localhost/],
    [{ ids: [], url: 'http://u:p@a/', signature: 'again' }, /user name or password/],
    [{ ids: [], url: 'http://a/', signature: 'other' }, /signature/],
    [{ ids: 'x', url: 'http://a/', signature: 'again' }, /ids/],
    [
      { ids: ['a', 'b'], url: 'http://a/', signature: 'again', edited: { headers: [] } },
      /only one/,
    ],
    [{ ids: ['a'], url: 'http://a/', signature: 'again', edited: { headers: [['a']] } }, /headers/],
    [
      {
        ids: ['a'],
        url: 'http://a/',
        signature: 'again',
        edited: { headers: [], bodyBase64: '%' },
      },
      /bodyBase64/,
    ],
    [{}, /ids/],
  ])('of %j is rejected with a reason', async (request, reason) => {
    const response = await send(await listening(), request as ReplayRequest);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect(error.message).toMatch(reason);
    expect(error.message).not.toContain('u:p');
  });
});
