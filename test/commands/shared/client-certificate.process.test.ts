import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  encryptedKey,
  hasOpenssl,
  makeCertificates,
  type Certificates,
} from '../../helpers/certificates.js';
import { cli as builtCli } from '../../helpers/cli.js';
import { folderWith } from '../../helpers/folder.js';
import { inProcess as cli } from '../../helpers/in-process.js';
import { startRawServer, type RawServer } from '../../helpers/raw-server.js';

/** Of 16 KB each: more than a single thread imports alone. */
const manyEvents = 600;

describe.skipIf(!hasOpenssl)('--cert and --key (needs openssl, to make certificates)', () => {
  let certificates: Certificates;
  let folder: string;
  let server: RawServer;

  beforeAll(() => {
    certificates = makeCertificates();
  });

  beforeEach(async () => {
    const { ca, good, selfSigned } = certificates;
    folder = folderWith({
      'ca.pem': ca,
      'client.pem': good.cert,
      'client.key': good.key,
      'both.pem': `${good.key}${good.cert}`,
      'other.pem': selfSigned.cert,
      'other.key': selfSigned.key,
      'notes.txt': 'tell nobody',
      'broken.pem': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      'broken.key': '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
      'encrypted.key': encryptedKey(good.key),
      'history.ndjson': '{"type":"track","event":"x","userId":"u"}\n',
      'members.csv': 'userId\nu1\n',
    });
    const mutual = { ca, requestCert: true, rejectUnauthorized: true };
    server = await startRawServer({ tls: { ...good, ...mutual } });
  });

  const file = (name: string): string => join(folder, name);
  const trusting = (): string[] => ['--ca', file('ca.pem')];
  const pair = (cert = 'client.pem', key = 'client.key'): string[] => [
    ...['--cert', file(cert), '--key', file(key)],
  ];
  const send = (...flags: string[]) =>
    cli(['send', '--fixture', 'track', '--url', server.url, ...flags]);

  it('send delivers with them to a server that requires a client certificate', async () => {
    const { code, stdout } = await send(...trusting(), ...pair());
    expect(stdout).toContain('delivered');
    expect(code).toBe(0);
    expect(server.requests).toHaveLength(1);
  });

  it('both may be one file', async () => {
    const { code } = await send(...trusting(), ...pair('both.pem', 'both.pem'));
    expect(code).toBe(0);
  });

  it('without them nothing is delivered, and the message names them', async () => {
    const { code, stdout } = await send(...trusting());
    expect(stdout).toContain('requires a client certificate; pass one with --cert and --key');
    expect(code).toBe(5);
    expect(server.requests).toHaveLength(0);
  });

  it('a server that does not accept the certificate is described so', async () => {
    const { code, stdout } = await send(...trusting(), ...pair('other.pem', 'other.key'));
    expect(stdout).toMatch(/(may not accept|refused) the client certificate/);
    expect(code).toBe(5);
    expect(server.requests).toHaveLength(0);
  });

  it('a collector gets them, too', async () => {
    const target = ['--write-key', 'k', '--endpoint', server.url];
    const flags = [...target, ...trusting(), ...pair()];
    const { code } = await cli(['send', '--fixture', 'track', ...flags]);
    expect(code).toBe(0);
  });

  it('audience sends with them', async () => {
    const list = ['--name', 'All', '--members', file('members.csv')];
    const flags = ['--url', server.url, ...trusting(), ...pair(), '--state-dir', file('state')];
    const { code } = await cli(['audience', 'sync', ...list, ...flags]);
    expect(code).toBe(0);
    expect(server.requests).toHaveLength(1);
  });

  it('import sends with them, and the same import without them is known', async () => {
    const common = ['import', file('history.ndjson'), '--url', server.url, ...trusting()];
    const state = ['--state-dir', file('state')];
    const first = await cli([...common, ...state, ...pair()]);
    expect(first.code).toBe(0);
    const again = await cli([...common, ...state]);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain('already completed');
    expect(server.requests).toHaveLength(1);
  });

  it('worker threads send with them, and no file of the state has them', async () => {
    const properties = { text: 'x'.repeat(16 * 1024) };
    const line = JSON.stringify({ type: 'track', event: 'x', userId: 'u', properties });
    writeFileSync(file('large.ndjson'), `${line}\n`.repeat(manyEvents));
    const flags = [...trusting(), ...pair(), '--threads', '2', '--state-dir', file('state')];
    const { code } = await builtCli([
      'import',
      file('large.ndjson'),
      '--url',
      server.url,
      ...flags,
    ]);
    expect(code).toBe(0);
    expect(server.requests).toHaveLength(manyEvents);
    const stored = readdirSync(file('state'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
    expect(stored.join('')).toContain('SQLite format');
    expect(stored.join('')).not.toMatch(/BEGIN|client\.key/);
  });

  it('send --curl names the files, not what is in them', async () => {
    const { stdout } = await send(...pair(), '--curl');
    expect(stdout).toContain(`--cert '${file('client.pem')}' --key '${file('client.key')}'`);
    expect(stdout).not.toContain('BEGIN');
  });

  it.each<[string, string[], RegExp]>([
    ['only a certificate', ['--cert', 'client.pem'], /--cert needs --key/],
    ['only a key', ['--key', 'client.key'], /--key needs --cert/],
    ['no certificate file', ['--cert', 'no', '--key', 'client.key'], /--cert .*no: no such file/],
    ['no key file', ['--cert', 'client.pem', '--key', 'no'], /--key .*no: no such file/],
    ['a folder', ['--cert', 'client.pem', '--key', '.'], /--key .*: is a directory/],
    ['text', ['--cert', 'notes.txt', '--key', 'client.key'], /--cert .*: has no PEM certificate/],
    ['text as key', ['--cert', 'client.pem', '--key', 'notes.txt'], /has no PEM private key/],
    ['a broken certificate', ['--cert', 'broken.pem', '--key', 'client.key'], /not a valid cert/],
    ['a broken key', ['--cert', 'client.pem', '--key', 'broken.key'], /not a valid private key/],
    ['an encrypted key', ['--cert', 'client.pem', '--key', 'encrypted.key'], /is encrypted/],
    ['two that do not fit', ['--cert', 'client.pem', '--key', 'other.key'], /is not the key of/],
    ['the files swapped', ['--cert', 'client.key', '--key', 'client.pem'], /--cert .*: has no PEM/],
  ])('are refused before anything is sent: %s', async (_, flags, message) => {
    const resolved = flags.map((flag) => (flag.startsWith('--') ? flag : file(flag)));
    const { code, stderr, stdout } = await send(...trusting(), ...resolved);
    expect(stderr).toMatch(message);
    expect(stderr.match(/\n/g)).toHaveLength(1);
    expect(stderr).not.toContain('tell nobody');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(server.sockets).toHaveLength(0);
  });
});
