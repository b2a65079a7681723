import { beforeEach, describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folder.js';
import { inProcess as cli } from '../helpers/in-process.js';

const warning =
  'warning: other users of this machine can see --secret in the process list; use --secret-file or EVFWD_SECRET';
const secret = ['--secret', 'hunter2'];
const track = ['send', 'track', '--user-id', 'u', '--event', 'E', '--url', 'http://127.0.0.1:1/'];

let file: (name: string) => string;

beforeEach(() => {
  const folder = folderWith({
    'body.json': '{}',
    empty: '',
    'events.ndjson': '{"type":"track","userId":"u","event":"E"}\n',
    'got.ndjson': `${JSON.stringify({ ...{ type: 'request', id: '1', method: 'POST', path: '/' }, receivedAt: '2026-01-01T00:00:00.000Z', headers: {}, body: '' })}\n`,
    'members.csv': 'userId\nu\n',
  });
  file = (name) => `${folder}/${name}`;
});

/** `{name}` is the path of a file. */
function filled(args: readonly string[]): string[] {
  return args.map((arg) => arg.replace(/^\{(.+)\}$/, (_all, name: string) => file(name)));
}

const state = ['--state-dir', '{state}'];
const url = ['--url', 'http://127.0.0.1:1/'];

describe('the warning that others can see --secret', () => {
  it.each([
    ['send', [...track, '--scheme', 'none']],
    ['send of a wrong event', ['send', 'track', '--event', 'E', ...url]],
    ['send --raw', ['send', '--raw', '{missing}', ...url]],
    ['send with a header of the scheme', [...track, '-H', 'X-Signature: a']],
    ['import', ['import', '{missing}', ...url, ...state]],
    [
      'import with a wrong header',
      ['import', '{events.ndjson}', ...url, ...state, '-H', 'Content-Type: a'],
    ],
    ['replay', ['replay', '{missing}', ...url, ...state]],
    ['audience', ['audience', 'sync', '--name', 'x', '--members', '{missing}', ...url, ...state]],
    ['sign', ['sign', '{missing}']],
    ['sign of an empty body', ['sign', '{empty}']],
    ['sign by a scheme', ['sign', '{empty}', '--scheme', 'github']],
    ['verify-sig', ['verify-sig', '{missing}', '--signature', 'a']],
    ['verify-sig --requests', ['verify-sig', '--requests', '{missing}']],
    ['listen', ['listen', '--port', '0', '--respond', 'x']],
  ])('does not stand before the error of %s', async (_name, args) => {
    const { code, stderr } = await cli([...filled(args), ...secret]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^evfwd: .*\n$/);
  });

  it.each([
    ['send', track],
    ['send --dry-run', [...track, '--dry-run']],
    ['send --raw', ['send', '--raw', '{body.json}', ...url]],
    ['import', ['import', '{events.ndjson}', ...url, ...state, '--retry-window', '0s']],
    ['replay', ['replay', '{got.ndjson}', ...url, ...state]],
    [
      'audience --dry-run',
      [
        ...['audience', 'sync', '--name', 'x', '--dry-run', '--members', '{members.csv}'],
        ...url,
        ...state,
      ],
    ],
    ['sign', ['sign', '{body.json}']],
    ['sign by a scheme', ['sign', '{body.json}', '--scheme', 'github']],
    ['verify-sig', ['verify-sig', '{body.json}', '--signature', 'a']],
    ['verify-sig by a scheme', ['verify-sig', '{body.json}', '--header', 'X-Hub-Signature: a']],
    ['verify-sig --requests', ['verify-sig', '--requests', '{got.ndjson}']],
    ['listen', ['listen', '--port', '0', '--expect', '*>=1', '--within', '1ms']],
    ['check --dry-run', ['check', 'http://127.0.0.1:1/', '--dry-run']],
  ])('is printed once by %s, unless --quiet', async (_name, args) => {
    const { stderr } = await cli([...filled(args), ...secret]);
    expect(stderr.split('\n').filter((line) => line === warning)).toHaveLength(1);
    const quiet = await cli([...filled(args), ...secret, '--quiet']);
    expect(quiet.stderr).not.toContain('warning');
  });
});
