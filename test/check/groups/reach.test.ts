import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { reachChecks } from '../../../src/check/groups/reach.js';
import type { AddressFacts, ConnectionFacts } from '../../../src/check/connection/facts.js';
import { inspectConnection } from '../../../src/check/connection/inspect.js';
import { Prober } from '../../../src/check/prober.js';
import { Session } from '../../../src/check/session.js';
import { startEndpoint } from '../helpers/endpoint.js';
import { settingsFor, verdictOf } from '../helpers/run-some.js';

/** What a check finds in addresses that were tried: `passed: IPv4 and IPv6 connect`. */
async function found(id: string, ...addresses: AddressFacts[]): Promise<string> {
  const facts: ConnectionFacts = { addresses, isExplained: false };
  const { signal } = new AbortController();
  const session = new Session(settingsFor('http://host.example/'), signal, facts);
  const check = reachChecks.find((one) => one.id === id)!;
  const { outcome: what, message } = await check.evaluate(new Prober(session, id));
  session.close();
  return `${what}: ${message}`;
}

const v4 = { address: '192.0.2.1', family: 4, durationMs: 20 } as const;
const v6 = { address: '2001:db8::1', family: 6, durationMs: 30 } as const;
const refused = { error: 'connection refused', errorCode: 'ECONNREFUSED' };

describe('reach.connect', () => {
  it('passes at a server that listens', async () => {
    const { url } = await startEndpoint();
    expect(await verdictOf(url, ['reach.connect'])).toMatch(/^pass: connected in \d+ ms$/);
  });

  it.each([
    [[v4, v6], 'passed: connected in 20 ms'],
    [
      [v4, { ...v6, ...refused }],
      'passed: connected in 20 ms, to 1 of 2 addresses; 2001:db8::1: connection refused',
    ],
    [[{ ...v4, durationMs: 2_400 }], 'failed: connected after 2.4 s, expected < 2 s'],
    [[{ ...v4, durationMs: 2_400 }, v6], 'passed: connected in 30 ms'],
  ])('judges %j', async (addresses, verdict) => {
    expect(await found('reach.connect', ...addresses)).toBe(verdict);
  });
});

describe('reach.dual-stack', () => {
  it.each([
    [[v4, v6], 'passed: IPv4 and IPv6 connect'],
    [[v4], 'passed: the host name has IPv4 addresses only'],
    [[v4, { ...v6, ...refused }], 'failed: IPv6 fails: 2001:db8::1: connection refused'],
    [
      [v4, { ...v6, error: 'no route to its network', errorCode: 'ENETUNREACH' }],
      'inconclusive: IPv6 could not be tried from this machine: 2001:db8::1: no route to its network',
    ],
  ])('judges %j', async (addresses, verdict) => {
    expect(await found('reach.dual-stack', ...addresses)).toBe(verdict);
  });

  it('does not apply to an address', async () => {
    const { url } = await startEndpoint();
    expect(await verdictOf(url, ['reach.dual-stack'])).toBe(
      'na: the URL has an IP address, not a host name',
    );
  });
});

describe('inspectConnection', () => {
  it('rejects where nothing listens, with each address and without the query', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const url = `http://127.0.0.1:${port}/hook?key=topsecret`;
    await expect(inspectConnection(settingsFor(url))).rejects.toMatchObject({
      code: 'unreachable',
      exitCode: 2,
      message: `http://127.0.0.1:${port}/hook: 127.0.0.1: connection refused; start the endpoint, or correct the URL`,
    });
  });

  it('rejects a name that is not found', async () => {
    await expect(inspectConnection(settingsFor('http://host.invalid/'))).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(
        /^http:\/\/host\.invalid\/: host\.invalid: host name not found/,
      ),
    });
  });
});
