import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AttemptResult, Outcome } from '../../src/delivery/outcome.js';
import { isProblem } from '../../src/events/event.js';
import { baseUrl } from '../../src/replay/path.js';
import { captureItems } from '../../src/replay/parse-capture.js';
import { RequestTarget, type RequestTargetOptions } from '../../src/replay/request-target.js';
import type { EndpointSettings } from '../../src/webhook/endpoint.js';
import { reply, startRawServer } from '../helpers/raw-server.js';
import { captureText } from './captures.js';

let server: Server;
let target: RequestTarget | undefined;

beforeEach(async () => {
  server = createServer((request, response) => {
    if (request.url === '/echo') response.writeHead(400).end(request.headers.authorization);
    else if (request.url === '/debug') response.writeHead(500).end('signed with topsecret');
    else if (request.url === '/gone') response.writeHead(410).end();
    else if (request.url === '/long') response.end('x'.repeat(40_000));
    else if (request.url === '/404') response.writeHead(404).end('no');
    else response.writeHead(200, { 'content-length': '9' }).end('some text');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await target?.close();
  server.close();
});

/** Sends captures with these fields one after the other. */
async function send(
  captures: readonly Record<string, unknown>[],
  options: Partial<RequestTargetOptions> = {},
): Promise<Outcome[]> {
  const { port } = server.address() as AddressInfo;
  target = new RequestTarget({
    compositions: [
      { base: baseUrl(`http://127.0.0.1:${port}`), added: [], dropped: new Set<string>() },
    ],
    ...{ signers: [], secrets: [], ca: [], concurrency: 1, timeoutMs: 5_000, retryWindowMs: 0 },
    ...{ allUrls: false, onDown: () => undefined, onAttempt: () => undefined },
    onCredentialsToOtherHost: () => undefined,
    ...options,
  });
  const outcomes: Outcome[] = [];
  for (const fields of captures) {
    const bytes = Buffer.from(captureText(fields));
    const event = captureItems([]).parseLine(bytes, { file: '', line: 1, offset: 0, length: 0 });
    if (isProblem(event)) throw new Error(event.message);
    const stamp = { messageId: 'm', writesMessageId: true };
    outcomes.push(await new Promise((resolve) => target!.send({ event, stamp }, resolve)));
  }
  return outcomes;
}

const recorded = (status: number, body?: string) => ({ response: { status, delayMs: 0, body } });

describe('a target of recorded requests', () => {
  it('keeps the connection after the response to a HEAD, which has a length and no body', async () => {
    let connections = 0;
    server.on('connection', () => connections++);
    const outcomes = await send([{ method: 'HEAD', body: '' }, { method: 'HEAD', body: '' }, {}]);
    expect(outcomes.map(({ verdict }) => verdict)).toEqual(['delivered', 'delivered', 'delivered']);
    expect(connections).toBe(1);
  });

  it('waits for no body of the response to a HEAD in lower case', async () => {
    const app = await startRawServer({ response: () => reply(200, { 'content-length': '9' }) });
    const compositions = [{ base: baseUrl(app.url), added: [], dropped: new Set<string>() }];
    const capture = { method: 'head', body: '', ...recorded(200, '') };
    const options = { compositions, compared: 'body', timeoutMs: 500 } as const;
    expect(await send([capture], options)).toMatchObject([{ verdict: 'delivered' }]);
  });

  it('does not give up other paths after a 410', async () => {
    const outcomes = await send([{ path: '/gone' }, { path: '/hook' }]);
    expect(outcomes.map(({ verdict }) => verdict)).toEqual(['failed', 'delivered']);
  });

  it('shows no recorded credentials that a response repeats', async () => {
    const [outcome] = await send([{ path: '/echo', headers: { authorization: 'Bearer s3cr3t' } }]);
    expect(JSON.stringify(outcome)).not.toContain('s3cr3t');
  });

  it('shows no shared secret that a response tells', async () => {
    const [outcome] = await send([{ path: '/debug' }], { secrets: ['topsecret'] });
    expect(outcome!.attempts[0]!.response).toMatchObject({ body: 'signed with ***' });
  });

  it('reports the URL of the request, without its query', async () => {
    const attempts: AttemptResult[] = [];
    await send([{ path: '/404?key=s3cr3t' }], { onAttempt: (result) => attempts.push(result) });
    expect(attempts[0]!.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/404$/);
  });

  it('rejects what HTTP cannot carry', async () => {
    expect(await send([{ path: '/a b' }])).toMatchObject([
      { verdict: 'rejected', code: 'bad_path' },
    ]);
  });
});

describe('a target of recorded requests whose URLs have settings', () => {
  const event = (type: string, more = {}) => ({
    body: JSON.stringify({ type, userId: 'u', ...more }),
  });

  async function sendTo(endpoints: readonly EndpointSettings[], captures: readonly object[]) {
    const servers = await Promise.all(endpoints.map(() => startRawServer()));
    const compositions = servers.map(({ url }) => ({
      ...{ base: baseUrl(url), added: [], dropped: new Set<string>() },
    }));
    const outcomes = await send(captures as Record<string, unknown>[], { compositions, endpoints });
    return { outcomes, counts: servers.map(({ requests }) => requests.length) };
  }

  it('sends an analytics event to those that want it, and skips it where none does', async () => {
    const { outcomes, counts } = await sendTo(
      [{ types: ['track'], events: ['Order *'] }, { where: ['traits.plan=pro'] }],
      [
        event('track', { event: 'Order Completed' }),
        event('identify', { traits: { plan: 'pro' } }),
        event('track', { event: 'Cart' }),
      ],
    );
    expect(outcomes.map(({ verdict }) => verdict)).toEqual(['delivered', 'delivered', 'skipped']);
    expect([outcomes[2]!.code, counts]).toEqual(['not_wanted', [1, 1]]);
  });

  it('asks only for the conditions of what is no analytics event', async () => {
    const { counts } = await sendTo(
      [{ types: ['track'] }, { where: ['action=opened'] }, { where: ['!action'] }],
      [{ body: '{"action":"opened"}' }, { body: '{"action":"closed"}' }, { body: 'text' }],
    );
    expect(counts).toEqual([3, 1, 1]);
  });

  it('retries the statuses of a URL, within its time', async () => {
    const base = { returnsRetries: true, retryWindowMs: 60_000 };
    const [retried] = await send([{ path: '/404' }], {
      ...base,
      endpoints: [{ retryStatus: [404] }],
    });
    expect(retried!.verdict).toBe('pending');
    const silent = await startRawServer({ response: () => undefined });
    const compositions = [{ base: baseUrl(silent.url), added: [], dropped: new Set<string>() }];
    const [late] = await send([{}], { compositions, endpoints: [{ timeoutMs: 50 }] });
    expect(late!.attempts).toMatchObject([{ error: 'timeout', detail: 'timed out after 50 ms' }]);
  });
});

describe('a target that compares', () => {
  it.each([
    ['an equal status', { path: '/404', ...recorded(404) }, 'status', 'delivered'],
    ['a success in place of a failure', { path: '/hook', ...recorded(404) }, 'status', 'failed'],
    ['an equal body', { path: '/hook', ...recorded(200, 'some text') }, 'body', 'delivered'],
    ['an equal body of a failure', { path: '/404', ...recorded(404, 'no') }, 'body', 'delivered'],
    ['another body', { path: '/hook', ...recorded(200, 'other') }, 'body', 'failed'],
    ['a long body', { path: '/long', ...recorded(200, 'x'.repeat(40_000)) }, 'body', 'delivered'],
    ['a longer body', { path: '/long', ...recorded(200, 'x'.repeat(39_999)) }, 'body', 'failed'],
    ['no recorded response', { path: '/404', response: undefined }, 'body', 'failed'],
    ['no body of a HEAD', { method: 'HEAD', body: '', ...recorded(200, '') }, 'body', 'delivered'],
  ] as const)('takes %s', async (_title, fields, compared, verdict) => {
    expect(await send([fields], { compared })).toMatchObject([{ verdict }]);
  });
});
