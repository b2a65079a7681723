import { createServer as createPlainServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type AddressInfo, type Server } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { acceptChecks } from '../../../src/check/groups/accept.js';
import { tlsChecks } from '../../../src/check/groups/tls.js';
import type { CheckReport } from '../../../src/check/result.js';
import { analytics } from '../../../src/check/senders/analytics.js';
import { runChecks } from '../../../src/check/run.js';
import {
  hasOpenssl,
  makeCertificateChains,
  makeCertificates,
  type CertificateChains,
  type Certificates,
} from '../../helpers/certificates.js';
import { reply, startRawServer } from '../../helpers/raw-server.js';
import { startEndpoint } from '../helpers/endpoint.js';
import { runSome, settingsFor, verdictOf } from '../helpers/run-some.js';

const aspects = ['tls.chain', 'tls.host', 'tls.expired'];

describe.skipIf(!hasOpenssl)('tls (needs openssl, to make certificates)', () => {
  let chains: CertificateChains;
  let certificates: Certificates;
  beforeAll(() => {
    chains = makeCertificateChains();
    certificates = makeCertificates();
  });

  /** The messages of those of chain, host and expired that fail. */
  async function failures(tls: TlsOptions, ca: readonly string[]): Promise<readonly string[]> {
    const server = await startRawServer({ tls });
    const results = await runSome(server.url, aspects, { ca });
    return results.flatMap(({ check, verdict, message }) =>
      verdict === 'fail' ? [`${check.id}: ${message}`] : [],
    );
  }

  it('a whole chain to a trusted root passes', async () => {
    expect(await failures(chains.whole, [chains.ca])).toEqual([]);
    expect(await failures(certificates.good, [certificates.ca])).toEqual([]);
    expect(await failures(certificates.selfSigned, [certificates.selfSigned.cert])).toEqual([]);
  });

  it('a missing intermediate certificate is named, and fails tls.chain alone', async () => {
    expect(await failures(chains.incomplete, [chains.ca])).toEqual([
      'tls.chain: an intermediate certificate is missing: the server sends its own alone, and its issuer "between" is not a known root (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
    ]);
  });

  it('a self-signed certificate fails tls.chain alone', async () => {
    expect(await failures(certificates.selfSigned, [])).toEqual([
      'tls.chain: the certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)',
    ]);
  });

  it('an unknown root fails tls.chain alone', async () => {
    expect(await failures(chains.whole, [])).toEqual([
      'tls.chain: the chain has a gap: "ca" is neither sent by the server nor a known root (UNABLE_TO_GET_ISSUER_CERT_LOCALLY)',
    ]);
  });

  it('another host fails tls.host alone, with the names of the certificate', async () => {
    expect(await failures(certificates.wrongHost, [certificates.ca])).toEqual([
      'tls.host: the certificate is not for localhost, but for elsewhere.example; nothing was sent (use a host name of the certificate)',
    ]);
  });

  it('an outdated certificate of a trusted chain fails tls.expired alone', async () => {
    const text = /^tls.expired: the certificate expired on \d{4}-\d\d-\d\d \(1 day ago\)$/;
    for (const [tls, ca] of [
      [certificates.expired, certificates.ca],
      [chains.expired, chains.ca],
    ] as const) {
      expect(await failures(tls, [ca])).toEqual([expect.stringMatching(text)]);
    }
  });

  it('each of several faults fails its own check', async () => {
    expect(await failures(chains.wrong, [chains.ca])).toEqual([
      expect.stringMatching(/^tls.host: /),
      expect.stringMatching(/^tls.expired: /),
    ]);
    expect(await failures(chains.wrong, [])).toEqual([
      expect.stringMatching(/^tls.chain: .*\(UNABLE_TO_GET_ISSUER_CERT_LOCALLY\)$/),
      expect.stringMatching(/^tls.host: /),
      expect.stringMatching(/^tls.expired: /),
    ]);
    expect(await failures(certificates.expired, [])).toEqual([
      expect.stringMatching(/^tls.chain: .*\(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)$/),
      expect.stringMatching(/^tls.expired: /),
    ]);
  });

  it.each([
    ['whole', /^pass: the certificate is valid for (89|90) days more$/],
    ['expired', /^warn: the certificate has expired$/],
  ] as const)('tls.expiry of the %s certificate', async (name, verdict) => {
    const server = await startRawServer({ tls: chains[name] });
    expect(await verdictOf(server.url, ['tls.expiry'], { ca: [chains.ca] })).toMatch(verdict);
  });

  it('tls.expiry warns of a certificate that ends in two days', async () => {
    const server = await startRawServer({ tls: certificates.good });
    expect(await verdictOf(server.url, ['tls.expiry'], { ca: [certificates.ca] })).toMatch(
      /^warn: the certificate is valid for (1 day|2 days) more, expected at least 14$/,
    );
  });

  const outdated = { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;

  it.each([
    [{}, 'pass: TLS 1.3 and TLS 1.2'],
    [{ maxVersion: 'TLSv1.2' }, 'pass: TLS 1.2'],
    [{ minVersion: 'TLSv1.3' }, 'pass: TLS 1.3'],
    [
      { ...outdated, maxVersion: 'TLSv1.1' },
      'warn: the server offers TLS 1.1 only, expected TLS 1.2 or 1.3',
    ],
    [
      { ...outdated, maxVersion: 'TLSv1' },
      'warn: the server offers TLS 1.0 only, expected TLS 1.2 or 1.3',
    ],
  ] as [TlsOptions, string][])('tls.version of a server with %o', async (options, verdict) => {
    const server = await startRawServer({ tls: { ...certificates.good, ...options } });
    expect(await verdictOf(server.url, ['tls.version'], { ca: [certificates.ca] })).toBe(verdict);
  });

  describe('what is wrong with the connection ends the run', () => {
    async function reportOf(tls: TlsOptions, ca: readonly string[]): Promise<CheckReport> {
      const server = await startRawServer({ tls });
      const settings = settingsFor(server.url, { ca });
      const { signal } = new AbortController();
      const checks = [...tlsChecks, ...acceptChecks(analytics)];
      const report = await runChecks({ checks, settings, signal });
      expect(server.requests).toEqual([]);
      expect(server.bytesReceived).toBe(0);
      return report;
    }

    const verdicts = ({ summary }: CheckReport) => {
      const { fail, warn, na } = summary;
      return { fail, warn, na };
    };

    it('a certificate that is not trusted is a failure, and no event is sent', async () => {
      const report = await reportOf(chains.incomplete, [chains.ca]);
      expect(report.isConclusive).toBe(true);
      expect(report.summary.score).toBeNull();
      const { message, verdict } = report.results.at(-1)!;
      expect(`${verdict}: ${message}`).toBe(
        'na: no event was sent, since the certificate is not trusted',
      );
      expect(verdicts(report)).toMatchObject({ fail: 1 });
    });

    it('an outdated protocol is judged by tls.version alone', async () => {
      const tls = { ...certificates.good, ...outdated, maxVersion: 'TLSv1.1' } as const;
      const report = await reportOf(tls, [certificates.ca]);
      expect(report.isConclusive).toBe(false);
      expect(verdicts(report)).toEqual({ fail: 0, warn: 1, na: report.results.length - 1 });
      expect(report.results.at(-1)!.message).toBe(
        'no event was sent, since the server offers TLSv1.1 alone',
      );
    });

    it('NODE_TLS_REJECT_UNAUTHORIZED changes nothing', async () => {
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
      try {
        const report = await reportOf(certificates.selfSigned, []);
        expect(verdicts(report)).toMatchObject({ fail: 1 });
      } finally {
        delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      }
    });

    it('a server that does not speak TLS is not reachable', async () => {
      const { url } = await startEndpoint();
      await expect(runSome(url.replace('http:', 'https:'), ['tls.chain'])).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining('does not speak TLS on this port'),
      });
    });
  });

  describe('tls.required', () => {
    const servers: Server[] = [];
    afterEach(() => {
      for (const server of servers.splice(0)) server.close();
    });

    /** Speaks TLS and plain HTTP on the same port, by the first byte of a connection. */
    async function bilingual(plainStatus: number): Promise<{ url: string; plain: unknown[] }> {
      const plain: unknown[] = [];
      const secure = createTlsServer(certificates.good, (_, response) => response.end());
      const open = createPlainServer((message, response) => {
        plain.push(message.headers);
        response.writeHead(plainStatus).end();
      });
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', (first: Buffer) => {
          // What is put back is read from a paused socket alone.
          socket.pause().unshift(first);
          (first[0] === 0x16 ? secure : open).emit('connection', socket);
          process.nextTick(() => socket.resume());
        });
      });
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return { url: `https://localhost:${(server.address() as AddressInfo).port}/hook`, plain };
    }

    it('warns of an event over plain HTTP that is accepted, and sends no static header', async () => {
      const { url, plain } = await bilingual(204);
      const port = new URL(url).port;
      const ca = [certificates.ca];
      const headers = [['Authorization', 'Bearer topsecret']] as const;
      expect(await verdictOf(url, ['tls.required'], { ca, headers })).toBe(
        `warn: an event over plain HTTP on port ${port} was accepted: HTTP 204`,
      );
      expect(plain).toMatchObject([{ 'x-signature': expect.any(String) }]);
      expect(plain[0]).not.toHaveProperty('authorization');
    });

    it.each([301, 400, 403])('passes with HTTP %i', async (status) => {
      const { url } = await bilingual(status);
      expect(await verdictOf(url, ['tls.required'], { ca: [certificates.ca] })).toMatch(
        new RegExp(`^pass: plain HTTP on port \\d+: HTTP ${status}$`),
      );
    });

    it('passes where TLS alone is spoken', async () => {
      const server = await startRawServer({ tls: certificates.good, response: () => reply(204) });
      expect(await verdictOf(server.url, ['tls.required'], { ca: [certificates.ca] })).toMatch(
        /^pass: plain HTTP on port \d+: no response/,
      );
    });
  });
});

describe('tls of http', () => {
  it('is not judged', async () => {
    const server = await startRawServer();
    const results = await runSome(server.url, tlsChecks);
    expect(results.map(({ verdict, message }) => `${verdict}: ${message}`)).toEqual(
      tlsChecks.map(() => 'na: the URL is http'),
    );
  });
});
