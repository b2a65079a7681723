import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { hasOpenssl, makeCertificates } from '../helpers/certificates.js';
import { cli } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { behindProxy, startProxy, type Proxy } from '../helpers/proxy.js';
import { reply, startRawServer, type RawServer } from '../helpers/raw-server.js';

const password = 'hunter2';
let server: RawServer;
let proxy: Proxy;
let url: string;

beforeEach(async () => {
  server = await startRawServer();
  proxy = await startProxy();
  url = behindProxy(server.url);
});

const withPassword = () => proxy.url.replace('//', `//user:${password}@`);
const expected = `Basic ${Buffer.from(`user:${password}`).toString('base64')}`;

describe('--proxy', () => {
  it('send delivers through it, to a name that only the proxy knows, and ends at once', async () => {
    const args = ['send', '--fixture', 'track', '--url', url, '--proxy', withPassword(), '-v'];
    const { code, stdout, stderr } = await cli(args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^delivered {2}http:\/\/hook\.example\.test/);
    expect(stdout + stderr).not.toContain(password);
    expect(proxy.requests).toEqual([
      { authority: `hook.example.test:${server.port}`, authorization: expected },
    ]);
    expect(server.requests).toHaveLength(1);
  });

  it('send says that the proxy has failed, not the endpoint', async () => {
    const busy = await startProxy({ response: () => 'HTTP/1.1 407 No\r\n\r\n' });
    const args = ['send', '--fixture', 'track', '--url', url, '--json', '--proxy', busy.url];
    const { code, stdout } = await cli(args);
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({
      code: 'proxy_auth',
      message: `${url}: the proxy ${busy.url} requires a user and a password, or does not accept those that it got (HTTP 407) (1 attempt)`,
      attempts: [{ status: null, error: 'proxy_auth' }],
    });
  });

  it('env reads the variables, and NO_PROXY', async () => {
    const args = ['send', '--fixture', 'track', '--url', url, '--proxy', 'env'];
    const env = { http_proxy: withPassword() };
    expect((await cli(args, { env })).code).toBe(0);
    const direct = await cli(args, { env: { ...env, NO_PROXY: 'example.test' } });
    expect([direct.code, direct.stdout]).toEqual([5, expect.stringContaining('name not found')]);
    expect(proxy.requests).toHaveLength(1);
  });

  it('wins over the proxy of the profile', async () => {
    const cwd = folderWith({
      'evfwd.config.yaml': `profiles:
  p: { webhooks: { proxy: \${OTHER}, endpoints: [{ url: "${url}" }] } }
`,
    });
    const other = await startProxy();
    const env = { OTHER: other.url };
    const args = ['send', '--fixture', 'track', '-p', 'p'];
    expect((await cli(args, { cwd, env })).code).toBe(0);
    expect((await cli([...args, '--proxy', proxy.url], { cwd, env })).code).toBe(0);
    expect([other.requests.length, proxy.requests.length]).toEqual([1, 1]);
  });

  it('import delivers through it with threads, and writes its password nowhere', async () => {
    const event = '{"type":"track","event":"x","userId":"u","properties":{"pad":"PAD"}}';
    const lines = Array.from({ length: 600 }, () => event.replace('PAD', 'x'.repeat(16_000)));
    const cwd = folderWith({ 'history.ndjson': `${lines.join('\n')}\n` });
    const refused = await startRawServer({ response: (_, index) => reply(index % 2 ? 200 : 400) });
    const target = ['--url', behindProxy(refused.url), '--proxy', withPassword()];
    const more = ['--threads', '2', '--log', 'log.ndjson', '--state-dir', 'state'];
    const { code, stdout, stderr } = await cli(['import', 'history.ndjson', ...target, ...more], {
      cwd,
    });
    expect(code).toBe(3);
    expect(refused.requests).toHaveLength(600);
    expect(proxy.requests.length).toBeLessThanOrEqual(130);
    expect(stderr).toMatch(/--proxy 'http:\/\/…@127\.0\.0\.1:\d+'/);
    const written = readdirSync(cwd, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
    expect(written.length).toBeGreaterThan(3);
    for (const text of [stdout, stderr, ...written]) {
      expect(text).not.toContain(password);
      expect(text).not.toContain(expected.slice('Basic '.length));
    }
  });

  it('a collector is reached through it', async () => {
    const args = ['--write-key', 'k', '--endpoint', new URL(url).origin, '--proxy', proxy.url];
    const { code } = await cli(['send', '--fixture', 'track', ...args]);
    expect(code).toBe(0);
    expect(proxy.requests).toHaveLength(1);
  });

  it('replay sends recorded requests through it', async () => {
    const cwd = folderWith({
      'got.ndjson':
        '{"type":"request","id":"1","method":"POST","path":"/","receivedAt":"2026-01-01T00:00:00.000Z","headers":{},"body":""}\n',
    });
    const args = ['replay', 'got.ndjson', '--url', new URL(url).origin, '--proxy', proxy.url];
    expect((await cli(args, { cwd })).code).toBe(0);
    expect(proxy.requests).toHaveLength(1);
    expect(server.requests).toHaveLength(1);
  });

  it('--curl has it without its password', async () => {
    const args = ['send', '--fixture', 'track', '--url', url, '--proxy', withPassword(), '--curl'];
    const { stdout } = await cli(args);
    expect(stdout).toContain(`--proxy '${proxy.url}' --proxytunnel --proxy-user "$PROXY_USER"`);
    expect(stdout).not.toContain(password);
  });

  it.each([
    ['user:hunter2@proxy:3128', 'not a valid http:// or https:// URL of a proxy'],
    [
      'socks5://user:hunter2@proxy',
      'SOCKS proxies are not supported; use an http:// or https:// proxy',
    ],
  ])('%s is refused without being shown', async (value, why) => {
    const { code, stderr } = await cli([
      'send',
      '--fixture',
      'track',
      '--url',
      url,
      '--proxy',
      value,
    ]);
    expect([code, stderr]).toEqual([2, `evfwd: --proxy: ${why}\n`]);
  });

  it.skipIf(!hasOpenssl)('--ca counts for an https proxy (needs openssl)', async () => {
    const { ca, good } = makeCertificates();
    const cwd = folderWith({ 'ca.pem': ca });
    const secure = await startProxy({ tls: good });
    const args = ['send', '--fixture', 'track', '--url', url, '--proxy', secure.url];
    const refused = await cli(args, { cwd });
    expect(refused.stdout).toContain(`proxy ${secure.url}: the certificate is not trusted`);
    expect((await cli([...args, '--ca', 'ca.pem'], { cwd })).code).toBe(0);
  });
});
