import * as tls from 'node:tls';
import { expect, it, vi } from 'vitest';
import { secureContext } from '../../src/http/tls.js';
import { hasOpenssl, makeCertificates } from '../helpers/certificates.js';
import { reply, startRawServer } from '../helpers/raw-server.js';
import { someEvent, attemptsOf, webhooks } from '../helpers/webhooks.js';

vi.mock('node:tls', async (importOriginal) => {
  const original = await importOriginal<typeof tls>();
  // Newer than the oldest Node.
  const { getCACertificates } = original as { getCACertificates?: unknown };
  return {
    ...original,
    getCACertificates,
    createSecureContext: vi.fn(original.createSecureContext),
  };
});

it.skipIf(!hasOpenssl)(
  'trusted certificates are read once, at the first connection (needs openssl)',
  async () => {
    const certificates = makeCertificates();
    const server = await startRawServer({
      tls: certificates.good,
      response: () => reply(200, { connection: 'close' }),
    });
    const made = vi.mocked(tls.createSecureContext).mock.calls;
    const destination = webhooks(server.url, { ca: [certificates.ca] });
    expect(made.length).toBe(0);
    for (let i = 0; i < 5; i++) {
      expect(attemptsOf(await destination.deliver(someEvent))).toEqual(['200: delivered']);
    }
    expect([server.sockets.length, made.length]).toEqual([5, 1]);
    // Those that Node trusts are not parsed again for the sake of one more.
    expect(made[0]![0]).not.toHaveProperty('ca');
  },
);

it('where no certificates are added, all connections share those of Node', () => {
  const shared = secureContext({});
  expect(secureContext({ ca: [] })).toBe(shared);
  expect(secureContext({ ca: [tls.rootCertificates[0]!] })).not.toBe(shared);
  expect(secureContext({}, { maxVersion: 'TLSv1.2' })).not.toBe(shared);
});

it('where certificates cannot be added to those of Node, all are passed', () => {
  const make = vi.mocked(tls.createSecureContext);
  make.mockClear();
  make.mockReturnValueOnce({ context: {} });
  secureContext({ ca: [tls.rootCertificates[0]!] });
  const { ca } = make.mock.calls[1]![0]!;
  // From Node 22.15, what NODE_EXTRA_CA_CERTS adds counts as Node's own.
  const { getCACertificates = () => tls.rootCertificates } = tls as {
    getCACertificates?: (kind: 'default') => readonly string[];
  };
  expect(ca).toHaveLength(getCACertificates('default').length + 1);
});
