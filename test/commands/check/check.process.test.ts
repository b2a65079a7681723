import { createServer as createTlsServer } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { presets } from '../../../src/sign/schemes/index.js';
import {
  rightEndpoint,
  secret,
  verifierOf,
  verifiers,
} from '../../check/helpers/right-endpoints.js';
import { startEndpoint } from '../../check/helpers/hook.js';
import { hasOpenssl, makeCertificates } from '../../helpers/certificates.js';
import { cli, type CliResult } from '../../helpers/cli.js';
import { folderWith } from '../../helpers/folder.js';

/** An endpoint that counts, so that a test can see that nothing was sent. */
async function counting(status = 204) {
  const seen = { url: '', count: 0 };
  seen.url = await startEndpoint(() => {
    seen.count++;
    return status;
  });
  return seen;
}

const right = () =>
  startEndpoint(
    rightEndpoint(verifiers['x-signature']!, ({ body }) => {
      JSON.parse(body.toString());
      return 204;
    }),
  );

interface Line {
  readonly type: string;
  readonly id: string;
  readonly verdict: string;
  readonly [name: string]: unknown;
}

const linesOf = ({ stdout }: CliResult): Line[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

const check = (url: string, ...flags: string[]) => cli(['check', url, ...flags]);
const quick = ['--only', 'accept.track', '--only', 'sign.missing', '--only', 'sign.tampered'];

it('exits 0 if nothing that the endpoint must do failed, and prints JSON lines', async () => {
  const result = await check(await right(), '--secret', secret, '--json', ...quick);
  expect(result.code).toBe(0);
  const lines = linesOf(result);
  expect(lines.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['accept.track', 'pass'],
    ['sign.missing', 'pass'],
    ['sign.tampered', 'pass'],
    [undefined, undefined],
  ]);
  const summary = { type: 'summary', pass: 3, warn: 0, fail: 0, na: 0, info: 0, score: 100 };
  expect(lines.at(-1)).toEqual(summary);
});

it('exits 1 if a required check failed, and says what, why and how to fix it', async () => {
  const { url } = await counting();
  const { code, stdout } = await check(url, '--secret', secret, ...quick);
  expect(code).toBe(1);
  for (const text of [
    '✗ sign.missing',
    'HTTP 204',
    'curl -g',
    'anyone who knows the URL',
    '--framework express',
  ])
    expect(stdout).toContain(text);
});

it.each([
  ['warns', [], 0, 'warn'],
  ['fails with --strict', ['--strict'], 1, 'fail'],
])('%s where the endpoint does not do what it should', async (_, flags, code, verdict) => {
  const url = await startEndpoint(({ incoming }) => (incoming.method === 'GET' ? 500 : 204));
  const result = await check(url, '--json', '--only', 'http.get', ...flags);
  expect(result.code).toBe(code);
  expect(linesOf(result).find(({ id }) => id === 'http.get')!.verdict).toBe(verdict);
});

it('exits 2 and gives no score if no valid event is accepted', async () => {
  const { url } = await counting(500);
  const result = await check(url, '--json');
  expect(result.code).toBe(2);
  expect(linesOf(result).at(-1)).toMatchObject({ type: 'summary', score: null });
  expect((await check(url)).stdout).toContain('This endpoint could not be judged.');
});

it('exits 1 if a redirect explains why no valid event is accepted', async () => {
  const { url } = await counting(301);
  const result = await check(url, '--json');
  expect(result.code).toBe(1);
  const failed = linesOf(result).filter(({ verdict }) => verdict === 'fail');
  expect(failed.map(({ id }) => id)).toContain('accept.no-redirect');
});

it('exits 2 with the reason if no connection can be opened', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => closed.once('listening', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const { code, stdout, stderr } = await check(`http://127.0.0.1:${port}/hook?token=abcdef`);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('connection refused');
  expect(stderr).not.toContain('abcdef');
});

it('exits 2 with the reason if the name is not found', async () => {
  const { code, stdout, stderr } = await check('http://hook.invalid/a', '--yes');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('host name not found');
});

it.skipIf(!hasOpenssl)(
  'exits 1 at a certificate that is not trusted, and sends nothing',
  async () => {
    const { good, ca } = makeCertificates();
    let count = 0;
    const server = createTlsServer(good, (request, response) => {
      count++;
      request.resume();
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `https://localhost:${(server.address() as AddressInfo).port}/hook`;
    try {
      const result = await check(url, '--json');
      expect(result.code).toBe(1);
      const failed = linesOf(result).filter(({ verdict }) => verdict === 'fail');
      expect(failed.map(({ id }) => id)).toEqual(['tls.chain']);
      const checks = linesOf(result).filter(({ type }) => type === 'check');
      const accepted = checks.filter(({ id }) => id.startsWith('accept.'));
      expect(new Set(accepted.map(({ verdict }) => verdict))).toEqual(new Set(['na']));
      expect(count).toBe(0);
      const folder = folderWith({ 'ca.pem': ca });
      const trusted = await check(url, '--json', '--ca', join(folder, 'ca.pem'), '--only', 'tls');
      expect(trusted.code).toBe(0);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
);

it.each([
  [['--only', 'sign.tamperd'], 'sign.tampered'],
  [['--skip', 'laod.*'], 'load.*'],
  [['--only', 'tolerate.emojis'], 'tolerate.emoji'],
])('names the nearest check to %j, and exits 2', async (flags, nearest) => {
  const seen = await counting();
  const { code, stderr } = await check(seen.url, ...flags);
  expect(code).toBe(2);
  expect(stderr).toContain(nearest);
  expect(seen.count).toBe(0);
});

it('lists with --dry-run what would be sent, and sends nothing', async () => {
  const seen = await counting();
  const { code, stdout } = await check(seen.url, '--dry-run');
  expect(code).toBe(0);
  for (const id of ['accept.track', 'sign.raw-bytes.space', 'load.parallel', 'gone.410'])
    expect(stdout).toContain(id);
  expect(stdout).toContain('nothing was sent');
  const json = await check('https://198.51.100.7/hook', '--dry-run', '--json');
  expect(json.code).toBe(0);
  expect(linesOf(json).at(-1)).toMatchObject({ type: 'summary' });
  expect(linesOf(json).length).toBeGreaterThan(60);
  expect(seen.count).toBe(0);
});

it('asks before it sends to an address that is not loopback; without a terminal it exits 2', async () => {
  const { code, stdout, stderr } = await check('http://192.0.2.1:9/hook?token=abcdef');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('--yes');
  expect(stderr).not.toContain('abcdef');
});

it.each([
  ['exit 3', 'exit code 3'],
  ['echo many', 'many'],
  ['true', 'printed nothing'],
  ['sleep 9', '3 s'],
])('does not judge the effect of a repeat with the probe "%s"', async (probe, message) => {
  const { url } = await counting();
  const result = await check(url, '--json', '--only', 'dup.effect', '--probe', probe);
  expect(result.code).toBe(0);
  const effect = linesOf(result).find(({ id }) => id === 'dup.effect')!;
  expect(effect.verdict).toBe('na');
  expect(effect.message).toContain(message);
});

it('counts effects with a probe', async () => {
  const folder = folderWith({ count: '' });
  const url = await startEndpoint(async ({ body }) => {
    const { appendFile } = await import('node:fs/promises');
    await appendFile(join(folder, 'count'), `${JSON.parse(body.toString()).messageId}\n`);
    return 204;
  });
  const judged = async (probe: string) => {
    const result = await check(url, '--json', '--only', 'dup.effect', '--probe', probe);
    const { verdict } = linesOf(result).find(({ id }) => id === 'dup.effect')!;
    return [result.code, verdict];
  };
  const file = join(folder, 'count');
  expect(await judged(`wc -l < ${file}`)).toEqual([1, 'fail']);
  expect(await judged(`sort -u ${file} | wc -l`)).toEqual([0, 'pass']);
});

it('writes reports, and says before it sends anything that one cannot be written', async () => {
  const folder = folderWith();
  const { url } = await counting();
  const formats = ['junit', 'markdown', 'html', 'sarif'];
  const paths = formats.map((format) => join(folder, format));
  const flags = formats.flatMap((format, index) => [`--${format}`, paths[index]!]);
  const result = await check(url, '-q', '--secret', secret, ...quick, ...flags);
  expect([result.code, result.stderr]).toEqual([1, '']);
  for (const path of paths) expect(readFileSync(path, 'utf8')).toContain('sign.missing');
  const seen = await counting();
  const failed = await check(seen.url, '--junit', join(folder, 'none', 'a.xml'));
  expect(failed.code).toBe(2);
  expect(failed.stderr).toContain('--junit');
  expect(seen.count).toBe(0);
  expect(existsSync(join(folder, 'none'))).toBe(false);
});

it('takes URL, scheme and secret of a profile', async () => {
  const url = await startEndpoint(rightEndpoint(verifiers.github!));
  const config = [
    'profiles:',
    '  hook:',
    '    webhooks:',
    '      scheme: github',
    '      sharedSecret: ${HOOK_SECRET}',
    `      endpoints: [{ url: ${url} }]`,
  ].join('\n');
  const folder = folderWith({ 'evfwd.yaml': config });
  const only = ['--only', 'accept.issues', '--only', 'sign.missing', '--only', 'sign.tampered'];
  const args = ['check', '-p', 'hook', '--config', join(folder, 'evfwd.yaml'), '--json', ...only];
  const result = await cli(args, { cwd: folder, env: { HOOK_SECRET: secret } });
  expect([result.code, result.stderr]).toEqual([0, '']);
  expect(linesOf(result).at(-1)).toMatchObject({ pass: 3, score: 100 });
});

it('sends arrays to the endpoint of a profile that has batch, and with --batch', async () => {
  const sizes: unknown[] = [];
  const url = await startEndpoint(
    rightEndpoint(verifiers['x-signature']!, ({ body }) => {
      sizes.push((JSON.parse(body.toString()) as unknown[]).length);
      return 204;
    }),
  );
  const batch = '{ size: 5, maxBytes: 20KB }';
  const webhooks = `{ sharedSecret: '${secret}', batch: ${batch}, endpoints: [{ url: '${url}' }] }`;
  const folder = folderWith({ 'evfwd.yaml': `profiles: { hook: { webhooks: ${webhooks} } }` });
  const only = ['--json', '--only', 'accept.track', '--only', 'batch.full'];
  const env = { EVFWD_SECRET: secret };
  const target = ['-p', 'hook', '--config', join(folder, 'evfwd.yaml')];
  const results = [
    await cli(['check', ...target, ...only], { cwd: folder, env: {} }),
    await cli(['check', url, '--batch', ...only], { cwd: folder, env }),
  ];
  expect(results.map((result) => [result.code, linesOf(result).at(-1)])).toMatchObject([
    [0, { pass: 2, score: 100 }],
    [0, { pass: 2, score: 100 }],
  ]);
  expect(sizes).toEqual([1, 5, 1, 100]);
});

it.each([
  ['http://hook.example.test/', true],
  ['http://127.0.0.1:9/', false],
])('says for %s that the proxy of a profile is not used: %s', async (url, isSaid) => {
  const proxy = 'http://user:hunter2@proxy.test';
  const config = `profiles: { hook: { webhooks: { proxy: '${proxy}', endpoints: [{ url: '${url}' }] } } }`;
  const folder = folderWith({ 'evfwd.config.yaml': config });
  const { stdout, stderr } = await cli(['check', '-p', 'hook', ...quick], { cwd: folder });
  expect(stderr.includes('the proxy of the profile is not used')).toBe(isSaid);
  expect(stdout + stderr).not.toContain('hunter2');
});

it('exits 2 with one line if forged events are answered 404, and says what is not known', async () => {
  const verify = verifiers['x-signature']!;
  const url = await startEndpoint((hook) => (verify(hook) ? 204 : 404));
  const result = await check(url, '--secret', secret, '--json', ...quick);
  expect(result.code).toBe(2);
  const [warning, ...lines] = result.stderr.trim().split('\n');
  expect(warning).toContain('other users of this machine can see --secret');
  expect(lines).toEqual([
    'could not be judged: sign.missing, sign.tampered: an event without a signature was answered HTTP 404, which says nothing about its signature',
  ]);
  expect(linesOf(result).at(-1)).toMatchObject({ fail: 0, na: 2, score: null });
  const { code, stdout } = await check(url, '--secret', secret, ...quick);
  expect(code).toBe(2);
  expect(stdout).toContain('could not be judged: sign.missing, sign.tampered: ');
  expect(stdout).toContain('score none');
});

it.each(['x-signature', 'github', 'shopify', 'twilio', 'stripe', 'standard-webhooks', 'hookdeck'])(
  'checks a rotation of %s: the new secret and the old one',
  async (scheme) => {
    const secrets = [secret, 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'];
    const files = Object.fromEntries(secrets.map((text, i) => [`${i}.txt`, text]));
    const folder = folderWith(files);
    const flags = Object.keys(files).flatMap((name) => ['--secret-file', join(folder, name)]);
    const run = async (known: readonly string[]) => {
      const verifies = known.map((one) =>
        verifierOf({ scheme: presets.get(scheme)!, secrets: [one] }),
      );
      const url = await startEndpoint((hook) =>
        verifies.some((verify) => verify(hook)) ? 204 : 401,
      );
      const args = [
        'check',
        url,
        '--scheme',
        scheme,
        ...flags,
        '--json',
        '--only',
        'sign.rotation',
      ];
      const result = await cli(args);
      return linesOf(result).find(({ id }) => id === 'sign.rotation')!.verdict;
    };
    expect(await run(secrets)).toBe('pass');
    expect(await run(secrets.slice(0, 1))).toBe('warn');
  },
);

it('exits 0 without a secret, and says that signatures were not judged', async () => {
  const { url } = await counting();
  const result = await check(url, '--json', '--only', 'sign', '--only', 'time');
  expect([result.code, result.stderr]).toEqual([0, '']);
});
