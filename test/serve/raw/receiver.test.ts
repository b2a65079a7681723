import { describe, expect, it } from 'vitest';
import { startRawServer } from '../../helpers/raw-server.js';
import { startReceiver } from '../../helpers/receiver.js';
import { serving, until } from '../serving.js';
import { githubSignature, relay, routingOf, talk } from './relaying.js';

const secret = 's3cret';
const signed = (body: string, id?: string): RequestInit => ({
  method: 'POST',
  body,
  headers: {
    'x-hub-signature-256': githubSignature(body, secret),
    ...(id !== undefined && { 'x-github-delivery': id }),
  },
});
const github = { source: `scheme: github\nsecret: ${secret}` };

describe('the signature of a request', () => {
  it('is required where there is a secret: 401 without a hint, and nothing is passed on', async () => {
    const app = await startRawServer();
    const { url, api, logged } = await serving(await relay(origin(app.url), github));
    const unsigned = await post(url, { method: 'POST', body: '{}' });
    expect(unsigned.status).toBe(401);
    expect(await unsigned.json()).toEqual({
      error: {
        code: 'signature_invalid',
        message: 'the signature of this request is missing or not valid',
      },
    });
    const forged = signed('{}');
    expect((await post(url, { ...forged, body: '{ }' })).status).toBe(401);
    expect((await post(url, forged)).status).toBe(200);
    await app.arrived(1);
    expect(app.requests.map(({ body }) => body.toString())).toEqual(['{}']);
    const { sources, refused } = await api('overview');
    expect(sources[0]).toMatchObject({
      received: 3,
      rejected: 2,
      raw: { path: '/in/hooks/*', scheme: 'github', verified: true, enforced: true },
    });
    expect(refused).toMatchObject([{ code: 'signature_invalid', count: 2 }]);
    const metrics = await (await fetch(`${url}/_evfwd/metrics`)).text();
    expect(metrics).toContain(
      'evfwd_events_rejected_total{source="hooks",code="signature_invalid"} 2',
    );
    expect(logged.join('\n')).toContain('"source":"hooks","code":"signature_invalid"');
    expect(logged.join('\n')).not.toContain(secret);
  });

  it('is missing or wrong for a reason that the log says, with the next step and no value', async () => {
    const slack = `scheme: slack\nsecret: ${secret}`;
    const { url, logged } = await serving(await relay('http://127.0.0.1:9', { source: slack }));
    const refusedWith = async (headers: Record<string, string>): Promise<void> => {
      expect((await post(url, { method: 'POST', body: '{}', headers })).status).toBe(401);
    };
    const value = `v0=${'ab'.repeat(32)}`;
    const now = String(Math.floor(Date.now() / 1000));
    await refusedWith({});
    await refusedWith({ 'x-slack-signature': value, 'x-slack-request-timestamp': now });
    await refusedWith({ 'x-slack-signature': 'v0=zz', 'x-slack-request-timestamp': now });
    await refusedWith({});
    const lines = logged.filter((line) => line.includes('signature_invalid'));
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/not valid; set the secret at the sender.*"reason":"missing"/);
    expect(lines[1]).toMatch(/; compare the secret of the source .*"reason":"mismatch"/);
    expect(lines[2]).toMatch(/; see whether the sender, or a proxy .*"reason":"[a-z_]+"/);
    expect(lines.join('')).not.toMatch(/abab|s3cret|v0=/);
  });

  it('is only noted with enforce: false', async () => {
    const app = await startRawServer();
    const routing = await relay(origin(app.url), { source: `${github.source}\nenforce: false` });
    const { url, api } = await serving(routing);
    expect((await post(url, { method: 'POST', body: 'x' })).status).toBe(200);
    await app.arrived(1);
    const [row] = await delivered(api, 1);
    expect(row).toMatchObject({ type: 'POST', name: '/in/hooks/x', user: null, source: 'hooks' });
    const { request } = await api(`events/${row.id}`);
    expect(request).toMatchObject({ signature: 'missing', scheme: 'github', body: 'x' });
  });
});

describe('a repeat', () => {
  it('is known by its id for each source, also with another body and after a restart', async () => {
    const app = await startRawServer();
    const routing = await routingOf(`sources:
  one: { type: raw, scheme: github, secret: ${secret}, destinations: [app], respond: { status: 202 } }
  two: { type: raw, scheme: github, secret: ${secret}, destinations: [app] }
destinations:
  app: { allowPrivateNetworks: true, endpoints: [{ url: '${origin(app.url)}' }] }
`);
    const first = await serving(routing);
    const send = (url: string, source: string, body: string, id?: string): Promise<Response> =>
      fetch(`${url}/in/${source}`, signed(body, id));
    expect((await send(first.url, 'one', 'a', 'd1')).status).toBe(202);
    expect((await send(first.url, 'one', 'b', 'd1')).status).toBe(202);
    expect((await send(first.url, 'two', 'c', 'd1')).status).toBe(200);
    await app.arrived(2);
    await delivered(first.api, 2);
    const { sources } = await first.api('overview');
    expect(sources[0]).toMatchObject({ received: 2, repeated: 1 });
    await first.stop();
    const { stateDir } = first;
    const second = await serving(routing, { stateDir });
    expect((await send(second.url, 'one', 'd', 'd1')).status).toBe(202);
    // Without an id, nothing is a repeat.
    await send(second.url, 'one', 'e');
    await send(second.url, 'one', 'e');
    await app.arrived(4);
    expect(app.requests.map(({ body }) => body.toString())).toEqual(['a', 'c', 'e', 'e']);
  });

  it('has the same header, method and path below that of the source, whatever its query', async () => {
    const app = await startRawServer();
    const { url, api } = await serving(await relay(origin(app.url)));
    const send = async (method: string, path: string, name: string, id = '77'): Promise<void> => {
      const init = { method, headers: { [name]: id }, body: `${method} ${path} ${name}` };
      expect((await fetch(`${url}/in/hooks${path}`, init)).status).toBe(200);
    };
    await send('POST', '/crm?a=1', 'webhook-id', 'msg_1');
    await send('POST', '/mail', 'webhook-id', 'msg_1');
    await send('POST', '/mail?a=2', 'webhook-id', 'msg_1');
    await send('PUT', '/mail', 'webhook-id', 'msg_1');
    await send('POST', '/crm', 'X-GitHub-Delivery');
    await send('POST', '/crm', 'X-Shopify-Webhook-Id');
    await send('POST', '/crm', 'x-shopify-webhook-id');
    await app.arrived(5);
    const rows = await until(
      async () => (await api('deliveries')).rows as { state: string; messageId: string }[],
      (all) => all.filter(({ state }) => state === 'delivered').length >= 5,
    );
    const { sources } = await api('overview');
    expect(sources[0]).toMatchObject({ received: 7, repeated: 2 });
    expect(new Set(rows.map(({ messageId }) => messageId))).toEqual(new Set(['msg_1', '77']));
    expect(app.requests.map(({ body }) => body.toString()).sort()).toEqual([
      ...['POST /crm X-GitHub-Delivery', 'POST /crm X-Shopify-Webhook-Id'],
      ...['POST /crm?a=1 webhook-id', 'POST /mail webhook-id', 'PUT /mail webhook-id'],
    ]);
  });

  it('is not one of a request that was refused, or whose signature is not valid', async () => {
    const app = await startRawServer();
    const routing = await relay(origin(app.url), { source: `${github.source}\nenforce: false` });
    const { url } = await serving(routing);
    const genuine = signed('genuine', 'd1');
    await post(url, { ...genuine, body: 'forged' });
    await post(url, genuine);
    await app.arrived(2);
    await post(url, genuine);
    await post(url, signed('last', 'd2'));
    await app.arrived(3);
    const bodies = app.requests.map(({ body }) => body.toString());
    expect(bodies).toEqual(['forged', 'genuine', 'last']);
  });
});

describe('the response', () => {
  it('is that of the first rule that fits, and what came is passed on all the same', async () => {
    const app = await startRawServer();
    const respond = `respond:
  - 'path=/in/hooks/slack,type=text/plain,body={body.challenge}'
  - 'status=204'`;
    const { url } = await serving(await relay(origin(app.url), { source: respond }));
    const challenge = await fetch(`${url}/in/hooks/slack`, {
      method: 'POST',
      body: '{"type":"url_verification","challenge":"c4"}',
    });
    expect([challenge.status, await challenge.text()]).toEqual([200, 'c4']);
    expect(challenge.headers.get('content-type')).toBe('text/plain');
    const other = await fetch(`${url}/in/hooks/x`, { method: 'POST', body: 'x' });
    expect([other.status, await other.text()]).toEqual([204, '']);
    await app.arrived(2);
    expect(app.requests.map(({ path }) => path)).toEqual(['/slack', '/x']);
  });
});

describe('a sender that closes its side', () => {
  const head = 'POST /in/hooks HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\n';

  it('after its requests gets the responses', async () => {
    const app = await startRawServer();
    const { url } = await serving(await relay(origin(app.url)));
    const answer = await talk(url, `${head}one.${head}two.`, null);
    expect(answer.match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
    await app.arrived(2);
  });

  it('within a body has sent nothing', async () => {
    const app = await startRawServer();
    const { url } = await serving(await relay(origin(app.url)));
    expect(await talk(url, `${head}on`, null)).toBe('');
    expect(await talk(url, `${head}four`, null)).toMatch(/^HTTP\/1\.1 200 /);
    await app.arrived(1);
    expect(app.requests.map(({ body }) => body.toString())).toEqual(['four']);
  });
});

describe('what is not taken', () => {
  it('is a body of more than 1 MiB, announced or not', async () => {
    const app = await startRawServer();
    const { url } = await serving(await relay(origin(app.url)));
    const whole = Buffer.alloc(1_048_576, 'a');
    const announced = await post(url, {
      method: 'POST',
      body: Buffer.concat([whole, whole.subarray(0, 1)]),
    });
    expect(announced.status).toBe(413);
    expect(await announced.json()).toMatchObject({ error: { code: 'payload_too_large' } });
    const chunk = Buffer.concat([Buffer.from('100001\r\n'), whole, Buffer.from('a\r\n')]);
    const endless = await talk(
      url,
      'POST /in/hooks HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n',
      chunk,
      '0\r\n\r\n',
    );
    expect(endless).toMatch(/^HTTP\/1\.1 413 /);
    expect((await post(url, { method: 'POST', body: whole })).status).toBe(200);
    await app.arrived(1);
    expect(app.requests[0]!.body.equals(whole)).toBe(true);
  });

  it('is a request that breaks off, has no Host or two, or no valid HTTP', async () => {
    const app = await startRawServer();
    const { url } = await serving(await relay(origin(app.url)));
    const close = 'Connection: close\r\n';
    expect(await talk(url, `POST /in/hooks HTTP/1.1\r\n${close}\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
    const two = `POST /in/hooks HTTP/1.1\r\nHost: a\r\nHost: b\r\n${close}\r\n`;
    expect(await talk(url, two)).toMatch(/^HTTP\/1\.1 400 /);
    const smuggled = `POST /in/hooks HTTP/1.1\r\nHost: a\r\n${close}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
    expect(await talk(url, smuggled)).toMatch(/^HTTP\/1\.1 400 /);
    expect(await talk(url, `POST /in/hooks\x01 HTTP/1.1\r\nHost: a\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 400 /,
    );
    const encoded = `POST /in/hooks HTTP/1.1\r\nHost: a\r\n${close}Transfer-Encoding: gzip, chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`;
    expect(await talk(url, encoded)).toMatch(/^HTTP\/1\.1 501 /);
    expect(await talk(url, `BREW /in/hooks HTTP/1.1\r\nHost: a\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 400 .*its method is unknown/s,
    );
    await post(url, { method: 'POST', body: 'good' });
    await app.arrived(1);
    expect(app.requests.map(({ body }) => body.toString())).toEqual(['good']);
  });

  it('is what the collection API and the page have, also under /*', async () => {
    const app = await startReceiver();
    const { url, send } = await serving(
      await routingOf(`sources:
  web: { writeKey: k-web, destinations: [app] }
  all: { type: raw, path: '/*', destinations: [app] }
destinations:
  app: { allowPrivateNetworks: true, endpoints: [{ url: '${origin(app.url)}' }] }
`),
    );
    await send([{ type: 'track', userId: 'u', event: 'E', messageId: 'm' }]);
    expect((await fetch(`${url}/_evfwd/health`)).status).toBe(200);
    await fetch(`${url}/else`, { method: 'POST', body: '{}' });
    await app.atLeast(2);
    expect(app.requests.map(({ path }) => path).sort()).toEqual(['/', '/else']);
    await app.close();
  });

  it.each(['//_evfwd/health', '/%5Fevfwd/health', 'http://h/_evfwd/health', '/_evfwd//health'])(
    'is a path of the service in another form, under /*: %s',
    async (path) => {
      const app = await startRawServer();
      const { url } = await serving(
        await routingOf(`sources:
  all: { type: raw, path: '/*', destinations: [app] }
destinations:
  app: { allowPrivateNetworks: true, endpoints: [{ url: '${origin(app.url)}' }] }
`),
      );
      const get = (target: string): Promise<string> =>
        talk(url, `GET ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
      expect(await get(path)).not.toContain('{"success":true}');
      expect(await get('/else')).toContain('{"success":true}');
      await app.arrived(1);
      expect(app.requests.map((request) => request.path)).toEqual(['/else']);
    },
  );
});

describe('an answer of the app', () => {
  it('that is final makes a dead letter with the capture, which can be sent again', async () => {
    const statuses = [302, 410, 404];
    const app = await startRawServer({
      response: (_, index) => {
        const status = statuses[index] ?? 200;
        return `HTTP/1.1 ${status} \r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n`;
      },
    });
    const { url, api } = await serving(await relay(origin(app.url), github));
    const bodies = ['a\n', 'b', '\u0000ä'];
    for (const [index, body] of bodies.entries()) {
      await fetch(`${url}/in/hooks/p?q=1`, signed(body, `d${index}`));
      await app.arrived(index + 1);
    }
    const { rows } = await until(
      () => api('dead-letters'),
      ({ rows: letters }) => letters.length === 3,
    );
    const codes = rows.map(({ code }: { code: string }) => code).sort();
    expect(codes).toEqual(['status_302', 'status_404', 'status_410']);
    const lines = (
      await (await fetch(`${url}/_evfwd/api/dead-letters.ndjson?destination=app`)).text()
    )
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ request }) => request.body).sort()).toEqual(['a\n', 'b', '\u0000ä'].sort());
    expect(lines.find(({ request }) => request.id === 'd1')).toMatchObject({
      type: 'dead-letter',
      reason: 'failed',
      code: 'status_410',
      lastStatus: 410,
      source: 'hooks',
      destination: 'app',
      request: { type: 'request', method: 'POST', path: '/in/hooks/p?q=1', signature: 'valid' },
    });
    expect(lines[0].event).toBeUndefined();
    const again = await api('redeliveries', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ destination: 'app' }),
    });
    expect(again).toEqual({ redelivered: 3 });
    await app.arrived(6);
    const sent = app.requests.slice(3).map(({ body }) => body.toString());
    expect(sent.sort()).toEqual([...bodies].sort());
    await until(
      () => api('dead-letters'),
      ({ rows: letters }) => letters.length === 0,
    );
  });
});

describe('a search', () => {
  it('finds requests by path, id, scheme and body, and not by the values of headers', async () => {
    const app = await startRawServer({
      response: () => 'HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n',
    });
    const { url, api } = await serving(await relay(origin(app.url), github));
    const body = '{"order":"Blue Chair"}';
    await fetch(`${url}/in/hooks/orders?shop=north`, {
      method: 'POST',
      body,
      headers: {
        'x-hub-signature-256': githubSignature(body, secret),
        'x-github-delivery': 'delivery-77',
        'x-token': 'hidden-value',
      },
    });
    const { rows } = await until(
      () => api('dead-letters'),
      ({ rows: letters }) => letters.length === 1,
    );
    const found = async (text: string): Promise<number> => {
      const { events } = await api(`search?search=${encodeURIComponent(text)}`);
      const listed = await api(`dead-letters?search=${encodeURIComponent(text)}`);
      expect(listed.rows).toHaveLength(events.length);
      return events.length;
    };
    for (const text of ['/hooks/orders', 'shop=north', 'delivery-77', 'GITHUB', 'blue chair']) {
      expect(await found(text)).toBe(1);
    }
    expect(await found('hidden-value')).toBe(0);
    const { request } = await api(`events/${rows[0].id}`);
    expect(request.headers['x-token']).toBe('hidden-value');
  });
});

describe('the conditions of an endpoint', () => {
  it('see method, path, headers and the members of a JSON body; types and events do not apply', async () => {
    const app = await startRawServer();
    const where = `where: ['method=POST', 'path~*/orders', 'header.X-GitHub-Event=push', 'body.total>=100']\ntypes: [identify]`;
    const { url, api } = await serving(await relay(origin(app.url), { destination: where }));
    const send = (path: string, body: string, event = 'push'): Promise<Response> =>
      fetch(`${url}/in/hooks/${path}`, {
        method: 'POST',
        body,
        headers: { 'x-github-event': event },
      });
    await send('orders?a=1', '{"total":99}');
    await send('users', '{"total":100}');
    await send('orders', '{"total":100}', 'ping');
    await send('orders', 'no json');
    await send('orders?a=1', '{"total":100}');
    await app.arrived(1);
    expect(app.requests.map(({ path }) => path)).toEqual(['/orders?a=1']);
    const { rows } = await until(
      () => api('deliveries'),
      ({ rows: all }) => all.length === 5,
    );
    const skipped = rows.filter(({ code }: { code: string }) => code === 'not_wanted');
    expect(skipped.map(({ message }: { message: string }) => message)).toContain(
      'no endpoint wants it: its condition header.x-github-event=push does not hold',
    );
    expect(skipped).toHaveLength(4);
  });
});

function post(url: string, init: RequestInit): Promise<Response> {
  return fetch(`${url}/in/hooks/x`, init);
}

function origin(url: string): string {
  return new URL(url).origin;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as of the API
async function delivered(api: (path: string) => Promise<any>, count: number): Promise<any[]> {
  const { rows } = await until(
    () => api('deliveries'),
    ({ rows: all }) =>
      all.filter(({ state }: { state: string }) => state === 'delivered').length >= count,
  );
  return rows;
}

describe('a request without a source', () => {
  const nowhere = async (path: string): Promise<string> => {
    const { url, logged } = await serving(await relay('http://127.0.0.1:9', github));
    const response = await fetch(`${url}${path}`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('/in/');
    return logged.find((line) => line.includes('"code":"not_found"'))!;
  };

  it.each(['/in/hoks?token=s3cret', '/in/Hooks?token=s3cret', '/in/hookss/push?token=s3cret'])(
    'is logged with its path, but without the query, when it is near one: %s',
    async (path) => {
      const line = await nowhere(path);
      expect(line).toContain(`"path":"${path.split('?')[0]!}"`);
      expect(line).toContain('there is nothing at this path; did you mean /in/hooks?');
      expect(line).not.toContain('s3cret');
    },
  );

  it.each(['/in/something-else', '/s3cret'])(
    'is logged without its path else: %s',
    async (path) => {
      const line = await nowhere(path);
      expect(line).not.toContain('"path"');
      expect(line).not.toContain('s3cret');
    },
  );
});
