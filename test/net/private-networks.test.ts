import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { privateNetworkGuard } from '../../src/net/private-networks.js';
import type { ResolveAll } from '../../src/net/resolver.js';
import { startRawServer } from '../helpers/raw-server.js';
import { someEvent, webhooks } from '../helpers/webhooks.js';

/** A resolver that gives these answers, one after the other; the last one repeats. */
function resolving(...responses: (readonly string[])[]): { resolve: ResolveAll; asked: string[] } {
  const asked: string[] = [];
  const resolve: ResolveAll = (hostname, _options, callback) => {
    const response = responses[Math.min(asked.length, responses.length - 1)]!;
    asked.push(hostname);
    const addresses = response.map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
    process.nextTick(callback, null, addresses);
  };
  return { resolve, asked };
}

interface Found {
  readonly error: NodeJS.ErrnoException | null;
  readonly address: string | LookupAddress[];
}

function lookUp(resolve: ResolveAll, options: { all?: boolean; family?: 4 } = {}): Promise<Found> {
  return new Promise((done) =>
    privateNetworkGuard(resolve).lookup('hook.example', options, (error, address) =>
      done({ error, address }),
    ),
  );
}

describe('a lookup', () => {
  it.each([
    [['10.0.0.1']],
    [['8.8.8.8', '127.0.0.1']],
    [['8.8.8.8', '2606:4700::1', '::ffff:169.254.169.254']],
    [['fe80::1%eth0']],
  ])('that finds %j is refused whole', async (addresses) => {
    for (const all of [true, false]) {
      const { error, address } = await lookUp(resolving(addresses).resolve, { all });
      expect([error?.code, address]).toEqual(['EPRIVATE', '']);
    }
  });

  it('gives what it has judged, all or the first', async () => {
    const { resolve } = resolving(['8.8.8.8', '2606:4700::1']);
    expect((await lookUp(resolve)).address).toBe('8.8.8.8');
    expect((await lookUp(resolve, { all: true })).address).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ]);
  });

  it('passes on that there is no such name, and that it has no address', async () => {
    const failing: ResolveAll = (_name, _options, callback) =>
      callback(Object.assign(new Error('none'), { code: 'EAI_AGAIN' }));
    expect((await lookUp(failing)).error?.code).toBe('EAI_AGAIN');
    expect((await lookUp(resolving([]).resolve)).error?.code).toBe('ENOTFOUND');
  });

  it('by the resolver of the machine fails for a name that cannot be', async () => {
    const { lookup } = privateNetworkGuard();
    const name = `${'x'.repeat(64)}.invalid`;
    const error = await new Promise((done) => lookup(name, { all: true }, done));
    expect(error).toMatchObject({ syscall: 'getaddrinfo' });
  });
});

describe('a destination that is kept from private networks', () => {
  const hosts = [
    ...['127.0.0.1', 'localhost', '[::1]', '2130706433', '0x7f000001', '0177.0.0.1', '127.1', '0'],
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '0.0.0.0', '[::]', '127。0。0。1', '１２７.0.0.1'],
  ];

  it.each(hosts)('does not connect to %s, says why, and does not try again', async (host) => {
    const server = await startRawServer();
    const destination = webhooks(`http://${host}:${server.port}/hook`, {
      retryWindowMs: 60_000,
      guard: privateNetworkGuard(),
    });
    const outcome = await destination.deliver(someEvent);
    expect(outcome).toMatchObject({ verdict: 'failed', code: 'private_address' });
    expect(outcome.message).toContain('allowPrivateNetworks: true');
    expect(outcome.attempts).toMatchObject([{ status: null, verdict: 'failed' }]);
    expect(server.sockets.length).toBe(0);
  });

  it('does not connect over TLS either', async () => {
    const server = await startRawServer();
    for (const host of ['localhost', '127.0.0.1']) {
      const destination = webhooks(`https://${host}:${server.port}/`, {
        guard: privateNetworkGuard(),
      });
      expect(await destination.deliver(someEvent)).toMatchObject({ code: 'private_address' });
    }
    expect(server.sockets.length).toBe(0);
  });

  it('looks the name up again for each connection, so that a later response is judged as well', async () => {
    const server = await startRawServer();
    // The first answer passes, and nobody listens there; the second is where somebody does.
    const { resolve, asked } = resolving(['192.0.2.1'], ['127.0.0.1']);
    const guard = privateNetworkGuard(resolve);
    const url = `http://rebinding.example:${server.port}/hook`;
    const destination = webhooks(url, { guard });
    for (let i = 0; i < 2; i++) {
      expect(await destination.deliver(someEvent)).toMatchObject({ code: 'private_address' });
    }
    expect(asked).toEqual(['rebinding.example', 'rebinding.example']);
    expect(server.sockets.length).toBe(0);
  });

  it('is not kept from them without a guard', async () => {
    const server = await startRawServer();
    const outcome = await webhooks(`http://0x7f000001:${server.port}/`).deliver(someEvent);
    expect(outcome.verdict).toBe('delivered');
  });
});
