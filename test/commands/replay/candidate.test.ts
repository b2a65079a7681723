import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';
import { captureFile } from '../../replay/captures.js';
import { compare, json, one, version, type HandledRequest, type Handler } from './versions.js';

describe('evfwd replay --candidate', () => {
  it('prints a difference as a line with both values and a command', async () => {
    const { code, lines, stdout, second } = await compare(
      json('{"total":12.50}'),
      json('{"total":12.5}'),
      [],
      captureFile({ path: '/orders/1001?token=hidden', headers: { 'x-api-key': 'hidden' } }),
    );
    expect(code).toBe(1);
    expect(lines[0]).toMatchObject({
      ...{ type: 'difference', method: 'POST', path: '/orders/{id}' },
      ...{ kind: 'value', at: 'body.total', baseline: 12.5, candidate: 12.5, count: 1 },
      example: { line: 1 },
    });
    expect(stdout).toContain('"baseline":12.50,"candidate":12.5,');
    const { curl } = lines[0]!.example as { curl: string };
    expect(curl).toContain(`curl -g -X POST '${second.url}/orders/1001?***' -H 'x-api-key: ***'`);
    expect(curl).toContain("--data-binary '{}'");
    expect(stdout).not.toContain('hidden');
  });

  it('prints the command once of a request that has several differences', async () => {
    const [baseline, candidate] = [
      await version(json({ a: 1, b: 1 })),
      await version(json({ a: 2, b: 2 })),
    ];
    const folder = folderWith({ got: captureFile({}) });
    const urls = ['--url', baseline.url, '--candidate', candidate.url];
    const { stdout } = await inProcess(['replay', join(folder, 'got'), ...urls]);
    expect(stdout).toMatch(/value {2}body\.a [^]*\n {4}curl -g [^]*value {2}body\.b /);
    expect(stdout.match(/curl -g/g)).toHaveLength(1);
  });

  it('masks secrets that a response repeats', async () => {
    const echo =
      (prefix: string): Handler =>
      ({ headers }, response) =>
        json({ got: prefix + String(headers.authorization) })({} as HandledRequest, response);
    const { stdout, found } = await compare(
      echo('a '),
      echo('b '),
      [],
      captureFile({ headers: { authorization: 'Bearer tell-nobody' } }),
    );
    expect(found).toEqual(['value body.got']);
    expect(stdout).toContain('"baseline":"a ***"');
    expect(stdout).not.toContain('tell-nobody');
  });

  it('compares only the first 1 MiB of a body, and says so', async () => {
    const long =
      (end: string): Handler =>
      (_, response) =>
        response.end('x'.repeat(1024 * 1024 + 10) + end);
    const { code, stderr, summary } = await compare(long('a'), long('b'));
    expect([code, summary]).toMatchObject([0, { same: 1 }]);
    expect(stderr).toContain(
      '3 responses were longer than 1 MiB; only the first 1 MiB was compared',
    );
  });

  it('counts a line that is no request as failed', async () => {
    const { code, summary, stderr } = await compare(json({}), json({}), [], `{}\n${one}`);
    expect([code, summary]).toMatchObject([3, { requests: 2, same: 1, failed: 1 }]);
    expect(stderr).toMatch(/got:1: rejected: the line is not a recorded request/);
  });

  it('writes a page that loads nothing', async () => {
    const folder = folderWith();
    const page = join(folder, 'out.html');
    const script = '<script>alert(1)</script>';
    await compare(json({ a: 1 }), json({ a: script }), ['--html', page]);
    const html = readFileSync(page, 'utf8');
    expect(html).toContain('<strong>1</strong> <span>of 1 request differs</span>');
    expect(html).toContain('got:1, as curl</summary>');
    expect(html).toContain('&lt;script&gt;alert(1)');
    expect(html).not.toContain('<script');
    expect(html).toContain(`default-src 'none'`);
  });

  it.each<[string, string[], string]>([
    [
      'the same address',
      ['--candidate', 'http://127.0.0.1:9/'],
      '--candidate: is the same address as --url, http://127.0.0.1:9; start',
    ],
    ['the same by its name', ['--candidate', 'http://localhost:9'], 'is the same address as --url'],
    [
      'no URL',
      ['--candidate', 'localhost:8'],
      '--candidate: not a valid http:// or https:// URL; did you mean http://localhost:8?',
    ],
    [
      'two URLs',
      ['--url', 'http://127.0.0.1:7', '--candidate', 'http://127.0.0.1:8'],
      '--candidate is compared with one URL, and --url has 2; use one',
    ],
    [
      'a retry window',
      ['--candidate', 'http://127.0.0.1:8', '--retry-window', '1m'],
      'nothing is retried; leave out --retry-window',
    ],
    [
      'a state',
      ['--candidate', 'http://127.0.0.1:8', '--state-dir', 'x'],
      'nothing is resumed; leave out --state-dir',
    ],
    ['--fresh', ['--candidate', 'http://127.0.0.1:8', '--fresh'], 'leave out --fresh'],
    [
      'dead letters',
      ['--candidate', 'http://127.0.0.1:8', '--dead-letter', 'x'],
      'leave out --dead-letter',
    ],
    ['a log', ['--candidate', 'http://127.0.0.1:8', '--log', 'x'], 'leave out --log'],
    [
      '--max-failures',
      ['--candidate', 'http://127.0.0.1:8', '--max-failures', '1'],
      'leave out --max-failures',
    ],
    [
      '--stop-after',
      ['--candidate', 'http://127.0.0.1:8', '--stop-after', '1'],
      '--stop-after has no meaning; leave it out',
    ],
    [
      '--all-urls',
      ['--candidate', 'http://127.0.0.1:8', '--all-urls'],
      '--all-urls has no meaning; leave it out',
    ],
    [
      '--compare',
      ['--candidate', 'http://127.0.0.1:8', '--compare', 'body'],
      'leave it out, or use --compare headers',
    ],
    ['--compare headers alone', ['--compare', 'headers'], 'use it with --candidate <url>'],
    ['--ignore alone', ['--ignore', 'body.a'], '--ignore needs --candidate; use both'],
    [
      'a header that is not compared',
      ['--candidate', 'http://127.0.0.1:8', '--ignore', 'header.etag'],
      'headers are compared only with --compare headers',
    ],
    [
      'a place that no response has',
      ['--candidate', 'http://127.0.0.1:8', '--ignore', 'generatedAt'],
      '--ignore: "generatedAt" is no place of a response; use',
    ],
    [
      'another baseline',
      ['--candidate', 'http://127.0.0.1:8', '--baseline', '3'],
      '--baseline: "3" must be 1 or 2',
    ],
    ['an address elsewhere', ['--candidate', 'http://192.0.2.1:8'], 'replay sends each request of'],
    [
      'a page in no folder',
      ['--candidate', 'http://127.0.0.1:8', '--html', '/no/such/page.html'],
      'no such folder',
    ],
  ])('refuses %s in one line', async (_, args, message) => {
    const folder = folderWith({ got: one });
    const url = ['--url', 'http://127.0.0.1:9'];
    const { code, stderr } = await inProcess(['replay', join(folder, 'got'), ...url, ...args]);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(2);
  });
});
