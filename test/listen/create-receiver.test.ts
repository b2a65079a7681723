import { describe, expect, it } from 'vitest';
import { createReceiver, signRequest, UsageError, type ReceiverOptions } from '../../src/index.js';
import { afterEachTest } from '../helpers/after-each.js';
import { startReceiver } from '../helpers/receiver.js';

const closing: (() => Promise<void>)[] = [];
afterEachTest(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function receiving(options: ReceiverOptions = {}) {
  const receiver = await createReceiver(options);
  closing.push(() => receiver.close());
  return receiver;
}

const order = '{"type":"track","event":"Order Completed","userId":"u1"}';
const post = async (url: string, body: string, headers: Record<string, string> = {}) =>
  (await fetch(url, { method: 'POST', body, headers })).status;

describe('a receiver inside of a test', () => {
  it('has what came as captures, and forgets it', async () => {
    const receiver = await receiving({ secret: 's' });
    await post(`${receiver.url}/hook?a`, order);
    expect(receiver.requests).toMatchObject([
      { method: 'POST', path: '/hook?a', body: order, signature: 'missing', reason: 'missing' },
    ]);
    receiver.reset();
    expect(receiver.requests).toEqual([]);
  });

  it('waits for what a rule or a function describes, what came before included', async () => {
    const receiver = await receiving();
    await post(receiver.url, order);
    const both = receiver.waitFor('track:Order *', { count: 2 });
    const second = receiver.waitFor(({ path }) => path === '/b');
    await post(`${receiver.url}/b`, order);
    expect((await both).map(({ path }) => path)).toEqual(['/', '/b']);
    expect(await second).toHaveLength(1);
    expect(await receiver.waitFor('track>=2')).toHaveLength(2);
  });

  describe('of an array of webhook bodies', () => {
    const page = '{"type":"page","name":"Home","userId":"u2"}';

    it('finds each event of a request', async () => {
      const receiver = await receiving();
      const waiting = [
        receiver.waitFor('page:Home'),
        receiver.waitFor('track:Order *', { count: 3 }),
        receiver.waitFor(({ events }) => events.some(({ userId }) => userId === 'u2')),
      ];
      await post(receiver.url, order);
      await post(receiver.url, `[${order},${page},${order}]`);
      const [pages, orders, ofUser] = await Promise.all(waiting);
      expect(pages).toMatchObject([{ path: '/' }]);
      expect(pages![0]!.events).toEqual([order, page, order].map((text) => JSON.parse(text)));
      expect(orders!.map(({ events }) => events.length)).toEqual([1, 3]);
      expect(ofUser).toHaveLength(1);
    });

    it('verifies the signature over the whole body', async () => {
      const receiver = await receiving({ secret: 's', enforce: true });
      const body = `[${order},${page}]`;
      const headers = signRequest({ scheme: 'x-signature', secret: 's', body });
      expect(await post(receiver.url, body, headers)).toBe(200);
      expect(await post(receiver.url, body.replace('u2', 'u3'), headers)).toBe(401);
      expect(receiver.requests.map(({ signature }) => signature)).toEqual(['valid', 'invalid']);
    });

    it('has events of a batch of calls, of a single one, and of a path, but none of other bodies', async () => {
      const receiver = await receiving();
      await post(`${receiver.url}/v1/batch`, `{"batch":[1,${page}]}`);
      await post(`${receiver.url}/v1/track`, '{"event":"E"}');
      await post(receiver.url, '[1]');
      await post(receiver.url, 'text');
      expect(receiver.requests.map(({ events }) => events)).toEqual([
        [JSON.parse(page)],
        [{ event: 'E' }],
        [],
        [],
      ]);
    });

    it('has no events in the JSON of a capture, which is a line of a recording', async () => {
      const receiver = await receiving();
      await post(receiver.url, `[${order}]`);
      const [capture] = receiver.requests;
      expect(JSON.parse(JSON.stringify(capture))).not.toHaveProperty('events');
    });
  });

  it('rejects with what did come', async () => {
    const receiver = await receiving();
    await post(`${receiver.url}/hook?secret`, order);
    await expect(receiver.waitFor('identify', { timeoutMs: 10 })).rejects.toThrow(
      'waitFor "identify": not received within 10 ms; these came: POST /hook track Order Completed (signature unchecked, 200)',
    );
    await expect(receiver.waitFor('track<=3')).rejects.toThrow('it needs nothing to come');
  });

  it('rejects what still waits when it is closed', async () => {
    const receiver = await receiving();
    const waiting = receiver.waitFor('*');
    const rejected = expect(waiting).rejects.toMatchObject({ code: 'receiver_closed' });
    await receiver.close();
    await rejected;
  });

  it('waits for nothing more once it is closed', async () => {
    const receiver = await receiving();
    await post(receiver.url, order);
    await receiver.close();
    await expect(receiver.waitFor('track')).rejects.toMatchObject({
      code: 'receiver_closed',
      message: 'waitFor: the receiver is closed; await it before close(), or read requests',
    });
  });

  it.each([
    [[5], 'match must be a rule like "track:Order *", or a function'],
    [['track', { count: 0 }], 'count must be a whole number of at least 1'],
    [['track', { timeoutMs: NaN }], 'timeoutMs must be a number of milliseconds'],
    [['track', { timeoutMs: Infinity }], 'timeoutMs must be a number of milliseconds'],
    [['track', { timeout: 5 }], 'unknown option "timeout"; did you mean timeoutMs?'],
    [['track', 500], 'the options must be an object'],
  ])('refuses to wait for %j', async (given, message) => {
    const receiver = await receiving();
    const wait = receiver.waitFor(...(given as unknown as [string]));
    await expect(wait).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(message) as string,
    });
  });

  it.each([['status=500'], [[500]], [null]])('refuses %j as faults', async (faults) => {
    const receiver = await receiving({ faults: ['status=503'] });
    expect(() => receiver.setFaults(faults as never)).toThrow('faults must be a list of texts');
    expect(await post(receiver.url, order)).toBe(503);
  });

  it('verifies, refuses, fails, repeats and answers as listen does', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const receiver = await receiving({
      ...{ scheme: 'standard-webhooks', secret, enforce: true, dedupe: true },
      verify: ['path=/a/*,scheme=github,secret=g', { path: '/b', scheme: 'auto', secret: ['x'] }],
      respond: ['path=/a/*,status=202', 'body=ok'],
      faults: ['status=503,first=1'],
    });
    const headers = signRequest({ scheme: 'standard-webhooks', secret, body: order, id: '1' });
    const github = signRequest({ scheme: 'github', secret: 'g', body: order });
    const statuses = [
      await post(receiver.url, order, headers),
      await post(receiver.url, order, headers),
      await post(receiver.url, order, headers),
      await post(`${receiver.url}/a/1`, order, github),
      await post(`${receiver.url}/b`, order, github),
    ];
    expect(statuses).toEqual([503, 200, 200, 202, 401]);
    expect(receiver.requests.map(({ duplicate }) => duplicate ?? false)).toEqual([
      ...[false, false, true, false, false],
    ]);
    receiver.setFaults(['status=500']);
    expect(await post(receiver.url, order, headers)).toBe(500);
    expect(() => receiver.setFaults(['x'])).toThrow('--fault');
  });

  it('loses none of a thousand requests at once that it forwards', async () => {
    const app = await startReceiver();
    const receiver = await receiving({ forward: new URL(app.url).origin, dedupe: true });
    const sent = Array.from({ length: 1000 }, (_, i) => post(`${receiver.url}/${i}`, String(i)));
    expect(new Set(await Promise.all(sent))).toEqual(new Set([200]));
    await receiver.waitFor(({ forwarded }) => forwarded?.status === 200, { count: 1000 });
    expect(new Set(app.requests.map(({ path }) => path)).size).toBe(1000);
    await app.close();
  });

  it.each([
    [{ enforce: true }, 'enforce needs a secret'],
    [{ scheme: 'strip' }, 'stripe'],
    [{ verify: ['path=/a'] }, 'it has no secret'],
    [{ verify: [{ path: 'a', secret: 'x' }] }, 'path must begin with /'],
    [{ respond: ['x'] }, '--respond: part 1 is not a part'],
    [{ forward: 'localhost:3000' }, 'forward: not a valid http:// or https:// URL'],
    [{ prot: 0 }, 'unknown option "prot"; did you mean port?'],
    [null, 'the options must be an object'],
    [{ port: '4400' }, 'port must be a whole number from 0 to 65535'],
    [{ port: 65536 }, 'port must be a whole number from 0 to 65535'],
    [{ host: '' }, 'host must be a name or an address'],
    [{ secret: 5 }, 'secret must be a string, bytes, or a list of these'],
    [{ secret: [] }, 'secret must be a string, bytes, or a list of these'],
    [{ secret: ['a', null] }, 'secret must be a string, bytes, or a list of these'],
    [{ scheme: 5, secret: 's' }, 'scheme must be the name of a preset, or auto'],
    [{ verify: 'path=/a,secret=s' }, 'verify must be a list of rules'],
    [{ verify: [5] }, 'verify must be a list of rules'],
    [{ verify: [null] }, 'verify must be a list of rules'],
    [{ verify: [{ path: '/a' }] }, 'verify[0]: secret must be a string, bytes'],
    [{ verify: ['path=/b,secret=s', { secret: 's' }] }, 'verify[1]: path must be a text'],
    [{ verify: [{ path: '/a', secret: 's', scheme: 1 }] }, 'verify[0]: scheme must be the name'],
    [
      { verify: [{ path: '/a', secret: 's', schema: 'stripe' }] },
      'verify[0]: unknown option "schema"; did you mean scheme?',
    ],
    [{ enforce: 'yes', secret: 's' }, 'enforce must be true or false'],
    [{ dedupe: 1 }, 'dedupe must be true or false'],
    [{ faults: 'status=500' }, 'faults must be a list of texts'],
    [{ seed: 0.5 }, 'seed must be a whole number'],
    [{ respond: [{ path: '/a' }] }, 'respond must be a list of texts'],
    [{ forward: new URL('http://localhost:1') }, 'forward must be a text'],
    [{ forwardTimeoutMs: NaN, forward: 'http://localhost:1' }, 'forwardTimeoutMs must be'],
    [{ forwardTimeoutMs: 0, forward: 'http://localhost:1' }, 'forwardTimeoutMs must be'],
    [{ forwardTimeoutMs: 500 }, 'forwardTimeoutMs needs forward'],
  ])('refuses %j', async (options, message) => {
    const refused = expect(createReceiver(options as ReceiverOptions)).rejects;
    await refused.toThrow(message);
    await refused.toBeInstanceOf(UsageError);
  });

  it('takes options that are undefined for absent ones', async () => {
    const absent = { port: undefined, secret: undefined, verify: undefined, seed: undefined };
    const receiver = await receiving(absent as unknown as ReceiverOptions);
    expect(await post(receiver.url, order)).toBe(200);
  });
});
