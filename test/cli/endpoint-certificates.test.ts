import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/delivery/outcome.js';
import { readRouting } from '../../src/serve/routing-file.js';
import { WebhookTarget } from '../../src/webhook/target.js';
import {
  encryptedKey,
  hasOpenssl,
  makeCertificates,
  type Certificates,
} from '../helpers/certificates.js';
import { folderWith } from '../helpers/folder.js';
import { inProcess as cli } from '../helpers/in-process.js';
import { startRawServer, type RawServer } from '../helpers/raw-server.js';
import { serving, track } from '../serve/serving.js';

describe.skipIf(!hasOpenssl)('tls of an endpoint (needs openssl, to make certificates)', () => {
  let certificates: Certificates;
  let folder: string;
  let server: RawServer;

  beforeAll(() => {
    certificates = makeCertificates();
  });

  beforeEach(async () => {
    const { ca, good, selfSigned, expired } = certificates;
    folder = folderWith({
      'ca.pem': ca,
      'client.pem': good.cert,
      'client.key': good.key,
      'encrypted.key': encryptedKey(good.key),
      'other.key': selfSigned.key,
      'old.pem': expired.cert,
      'old.key': expired.key,
      'notes.txt': 'tell nobody',
      'events.ndjson': '{"type":"track","event":"x","userId":"u"}\n',
    });
    const mutual = { ca, requestCert: true, rejectUnauthorized: true };
    server = await startRawServer({ tls: { ...good, ...mutual } });
  });

  const file = (name: string): string => join(folder, name);
  const pair = 'cert: client.pem, key: client.key, ca: ca.pem';

  /** Writes a file with `tls` at the endpoint, and perhaps at its target; returns its path. */
  function configured(own: string | undefined, common?: string): string {
    const tls = (text: string | undefined) => (text === undefined ? '' : `, tls: { ${text} }`);
    writeFileSync(
      file('evfwd.config.yaml'),
      `profiles:
  mutual:
    webhooks: { endpoints: [{ url: '${server.url}'${tls(own)} }]${tls(common)} }
sources:
  web: { writeKey: k-web, destinations: [crm] }
destinations:
  crm: { type: Webhooks, allowPrivateNetworks: true, endpoints: [{ url: '${server.url}'${tls(own)} }]${tls(common)} }
`,
    );
    return file('evfwd.config.yaml');
  }

  const send = (config: string, ...more: string[]) =>
    cli(['send', '--fixture', 'track', '--config', config, '--profile', 'mutual', ...more], {
      env: { KEY_WORD: 'word' },
    });

  it.each<[string, string | undefined, string?]>([
    ['of the endpoint', pair],
    ['of the target', undefined, pair],
    ['of the endpoint rather than of the target', pair, 'ca: ca.pem'],
    ['with an encrypted key', pair.replace('client.key', 'encrypted.key, keyPassphrase: word')],
    [
      'with a passphrase of the environment',
      `${pair.replace('client.key', 'encrypted.key')}, keyPassphrase: "\${KEY_WORD}"`,
    ],
  ])('send uses the certificates %s', async (_, own, common) => {
    const { code, stdout, stderr } = await send(configured(own, common));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('delivered');
    expect(server.requests).toHaveLength(1);
  });

  it('import, replay and send --raw use them', async () => {
    const target = ['--config', configured(pair), '--profile', 'mutual'];
    const state = ['--state-dir', file('state')];
    const imported = await cli(['import', file('events.ndjson'), ...target, ...state]);
    expect(imported.code).toBe(0);
    const request = { method: 'POST', path: '/', headers: {}, body: '{}' };
    writeFileSync(file('capture.ndjson'), JSON.stringify({ type: 'request', ...request }));
    const replayed = await cli(['replay', file('capture.ndjson'), ...target, ...state]);
    expect(replayed.stderr).not.toContain('failed');
    expect(replayed.code).toBe(0);
    const raw = await cli(['send', '--raw', file('notes.txt'), ...target]);
    expect(raw.code).toBe(0);
    expect(server.requests).toHaveLength(3);
  });

  it('check uses them', async () => {
    const target = ['--config', configured(pair), '--profile', 'mutual'];
    const { stdout, stderr } = await cli(['check', ...target, '--only', 'tls', '--json']);
    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /"verdict":"warn","message":"the client certificate is valid for [12] day/,
    );
    expect(server.requests.length).toBeGreaterThan(0);
  });

  it('stand in the command of --curl, which sends the same', async () => {
    const config = configured(
      'cert: client.pem, key: encrypted.key, ca: ca.pem, keyPassphrase: word',
    );
    for (const kind of [[], ['--raw', file('events.ndjson')]]) {
      const args = kind.length > 0 ? ['send', ...kind] : ['send', '--fixture', 'track'];
      const target = ['--config', config, '--profile', 'mutual', '--curl'];
      const { code, stdout, stderr } = await cli([...args, ...target], { cwd: folder });
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain(
        " --cacert 'ca.pem' --cert 'client.pem' --key 'encrypted.key' --pass \"$KEY_PASSPHRASE\" ",
      );
      expect(stdout).not.toContain('word');
      const env = { ...process.env, KEY_PASSPHRASE: 'word' };
      await promisify(execFile)('sh', ['-c', `${stdout.trim()} -sS -m 20 -o got`], {
        cwd: folder,
        env,
      });
    }
    expect(server.requests).toHaveLength(2);
  });

  it('stand in --curl behind a pair of flags, with their whole paths from elsewhere', async () => {
    const flags = ['--cert', file('client.pem'), '--key', file('client.key'), '--curl'];
    const { stdout, stderr } = await send(
      configured('cert: client.pem, key: encrypted.key, keyPassphrase: word, ca: ca.pem'),
      ...flags,
      ...['--ca', file('ca.pem')],
    );
    expect(stdout).toContain(
      ` --cacert '${file('ca.pem')}' --cert '${file('client.pem')}' --key '${file('client.key')}' -H`,
    );
    expect(stderr).toContain('curl trusts one file');
  });

  it.each<[what: string, tls: string, said: RegExp]>([
    ['a certificate alone', 'cert: client.pem', /tls\.cert needs key beside it; set both/],
    ['a key alone', 'key: client.key', /tls\.key needs cert beside it; set both/],
    ['no file', 'cert: no.pem, key: client.key', /tls\.cert: \S+no\.pem: no such file/],
    [
      'another text',
      'cert: notes.txt, key: client.key',
      /tls\.cert: \S+\/notes\.txt: has no PEM certificate/,
    ],
    [
      'a key of another',
      'cert: client.pem, key: other.key',
      /tls\.key: \S+\/other\.key: is not the key of the/,
    ],
    [
      'no passphrase',
      'cert: client.pem, key: encrypted.key',
      /is encrypted; set keyPassphrase, or/,
    ],
    [
      'a wrong passphrase',
      'cert: client.pem, key: encrypted.key, keyPassphrase: hush',
      /tls\.key: \S+\/encrypted\.key: cannot be decrypted; check keyPassphrase/,
    ],
    [
      'an old one',
      'cert: old.pem, key: old.key',
      /tls\.cert: \S+\/old\.pem: the certificate expired on \d/,
    ],
    ['a ca without one', 'ca: notes.txt', /tls\.ca: \S+\/notes\.txt: has no PEM certificate/],
    ['an unknown key', 'crt: client.pem', /tls\.crt is not a known key; did you mean cert\?/],
  ])('send refuses %s in one line, before anything is sent', async (_, tls, said) => {
    const { code, stdout, stderr } = await send(configured(tls));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(said);
    expect(stderr).toMatch(/^evfwd: \S+evfwd\.config\.yaml:3: profiles\.mutual\.webhooks\.\S+tls/);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).not.toMatch(/hush|tell nobody|BEGIN PRIVATE/);
    expect(server.requests).toHaveLength(0);
  });

  it('serve forwards with them', async () => {
    const config = configured(pair);
    const served = await serving({ sources: [], destinations: [] }, reading(config));
    await served.send([track(1)]);
    await server.arrived(1);
    expect(served.logged.join()).not.toMatch(/BEGIN|refused/);
    const { destinations } = await served.api('overview');
    const [{ certificateEndsAt }] = destinations[0].endpoints;
    const days = (Date.parse(certificateEndsAt) - Date.now()) / 86_400_000;
    const metrics = await (await fetch(`${served.url}/_evfwd/metrics`)).text();
    const [, shown] = /^evfwd_client_certificate_days\{.*\} (.*)$/m.exec(metrics)!;
    expect(Number(shown)).toBeCloseTo(days, 1);
    expect(JSON.stringify(destinations)).not.toContain('BEGIN');
  });

  it('a target of serve names the keys of tls where a certificate is not trusted', async () => {
    const outcomes: Outcome[] = [];
    for (const namesKeys of [true, false]) {
      const endpoints = [{ url: server.url }];
      const target = new WebhookTarget({ endpoints, namesKeys, retryWindowMs: 0 });
      outcomes.push(await target.deliver({ type: 'track', event: 'E', userId: 'u' }));
      await target.close();
    }
    expect(outcomes.map(({ message }) => message)).toEqual([
      expect.stringContaining('set tls.ca to the CA certificate'),
      expect.stringContaining('pass the CA certificate with --ca'),
    ]);
  });

  it('serve refuses a destination whose certificate cannot be used, and sends what waited when it is replaced', async () => {
    writeFileSync(file('old.pem'), certificates.expired.cert);
    const config = configured('cert: old.pem, key: old.key, ca: ca.pem');
    const served = await serving({ sources: [], destinations: [] }, reading(config));
    expect(served.logged.join('\n')).toMatch(
      /^error certificates cannot be used; events wait .*"destination":"crm".*old\.pem: the certificate expired on/m,
    );
    expect((await served.send([track(1)])).status).toBe(200);
    const found = await served.api('search?search=m1');
    expect(found.events).toMatchObject([{ state: 'queued', code: 'destination_refused' }]);
    const { destinations } = await served.api('overview');
    expect(destinations).toMatchObject([{ enabled: false, configuredEnabled: true }]);
    expect(destinations[0].refusal).toContain('the certificate expired on');
    const ended = Date.parse(new X509Certificate(certificates.expired.cert).validTo);
    expect(destinations[0].endpoints).toMatchObject([
      { certificateEndsAt: new Date(ended).toISOString() },
    ]);
    for (const [name, kind] of [
      ['old.pem', 'cert'],
      ['old.key', 'key'],
    ] as const)
      writeFileSync(file(name), certificates.good[kind]);
    await served.service.reload();
    await server.arrived(1);
  });

  it('serve keeps the certificates it has when their files cannot be used at a reload', async () => {
    const config = configured(pair);
    const served = await serving({ sources: [], destinations: [] }, reading(config));
    writeFileSync(file('client.key'), readFileSync(file('other.key')));
    await served.service.reload();
    expect(served.logged.join('\n')).toMatch(/certificates cannot be used; keeping the previous/);
    await served.send([track(1)]);
    await server.arrived(1);
  });

  function reading(config: string) {
    return {
      readRouting: () => readRouting(config, {}),
      delivery: { timeoutMs: 20_000 },
    };
  }
});
