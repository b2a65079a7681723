import { beforeEach, describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folder.js';
import { inProcess as cli } from '../helpers/in-process.js';

/** Stands wherever a secret may stand, and must not come back. */
const mark = 'hunter2';

const track = ['send', 'track', '--user-id', 'u', '--event', 'E'];
const nowhere = ['--url', 'http://127.0.0.1:1/'];

let cwd: string;

beforeEach(() => {
  cwd = folderWith({
    'body.json': '{}',
    'events.ndjson': '{"type":"track","userId":"u","event":"E"}\n',
    'members.csv': 'userId\nu\n',
    'evfwd.config.yaml': [
      'profiles:',
      `  url: { webhooks: { endpoints: [{ url: 'ftp://h/?k=${mark}' }] } }`,
      `  header: { webhooks: { endpoints: [{ url: 'http://h/', headers: { Expect: ${mark} } }] } }`,
      `  value: { webhooks: { endpoints: [{ url: 'http://h/', headers: { X-A: "${mark}\\u20ac" } }] } }`,
      `  collector: { collector: { writeKey: ${mark}, endpoint: 'h?k=${mark}' } }`,
    ].join('\n'),
  });
});

describe('a secret on a wrong command line is not printed', () => {
  it.each<[what: string, args: readonly string[], said: string]>([
    ['a mistyped flag with =', ['send', `--sercet=${mark}`], "'--sercet' (Did you mean --secret?)"],
    ['a mistyped flag', ['send', '--sercet', mark], "'--sercet' (Did you mean --secret?)"],
    ['a flag without the space', ['send', `--secret${mark}`], "'--secret…' (Did you mean --secret"],
    ['a short value', ['send', '--secretpile', mark], "'--secret…' (Did you mean --secret-file?)"],
    ['a flag and its value in quotes', ['send', `--secret ${mark}`], 'Did you mean --secret?'],
    ['a flag with a colon', ['send', `--write-key:${mark}`], 'Did you mean --write-key?'],
    ['a flag with one dash', ['send', '-secret', mark], "'-secret' (Did you mean --secret?)"],
    ['an unknown short flag', ['send', `-x${mark}`], "unknown option '-x'"],
    ['one in a group', ['send', `-qx${mark}`], "unknown option '-x'"],
    ['a switch with a value', ['send', `--all-urls=${mark}`], "'--all-urls' takes no value"],
    ['a flag of another command', ['sign', '-p', mark], "unknown option '-p'"],
    ['a flag before the command', [`--secret=${mark}`, 'send'], 'put flags after the command'],
    [
      'of a subcommand',
      ['audience', 'sync', '--name', 'x', '--members', 'x', `--ulr=${mark}`],
      'u',
    ],
    ['a word too many', [...track, '--secret', mark, 'extra'], 'unexpected argument: evfwd send'],
    ['a value too many', [...track, '--secret', 'a', mark], 'unexpected argument: evfwd send'],
    ['a header without quotes', ['import', 'x', '-H', 'X-Key:', mark], '--header: the value'],
    ['a header in place of a type', ['send', `X-Key: ${mark}`], 'unknown type; expected one of'],
    ['a URL in place of a type', ['send', `http://h/?k=${mark}`], 'unknown type; expected'],
    ['a flag with a long dash', ['send', `—secret=${mark}`], 'unknown type; expected one of'],
    ['a flag in a type', ['send', '--data', `{"type":"k=${mark}"}`, ...nowhere], 'unknown type;'],
    ['a URL in place of a command', [`http://h/?k=${mark}`], 'unknown command; see evfwd --help'],
    ['a URL behind help', ['help', `http://h/?k=${mark}`], 'unknown command; see evfwd --help'],
    [
      'a URL in place of a subcommand',
      ['audience', `http://h/?k=${mark}`],
      'use evfwd audience sync or',
    ],
    ['a URL as a source', ['import', `http://h/?k=${mark}`, ...nowhere], 'http://h/: the host'],
    ['one with a password', ['import', `http://u:${mark}@h/`, ...nowhere], 'http://h/: the host'],
    ['one without a protocol', ['import', `h/?k=${mark}`, ...nowhere], 'h/?…: no such file'],
    ['a URL in place of a body', ['sign', `http://h/?k=${mark}`, '--secret', mark], 'http://h/?…'],
    ['a URL in place of a shell', ['completion', `http://h/?k=${mark}`], 'use one of bash'],
    ['a URL in place of a fixture', ['fixtures', `http://h/?k=${mark}`], 'no fixture of this name'],
    ['no value before a flag', [...track, '--url', `--secret=${mark}`], '--url: its value is miss'],
    ['none of a duration', [...track, '--timeout', `--secret=${mark}`], '--timeout: its value'],
    ['none, and a short flag', [...track, '--timeout', `-H${mark}`], '--timeout: the value is not'],
    [
      'a secret for a duration',
      [...track, '--timeout', `k=${mark}`],
      '--timeout: the value is not',
    ],
    ['a header for a rate', ['import', 'x', '--rate', `A: ${mark}`], '--rate: the value is not a'],
    [
      'a URL for a speed',
      ['import', 'x', '--speed', `http://h?${mark}`],
      '--speed: the value is n',
    ],
    ['a URL for a profile', [...track, '-p', `http://h/?k=${mark}`], 'unknown profile name'],
    [
      'a URL of another protocol',
      [...track, '--url', `ftp://h/?k=${mark}`],
      '--url: not a valid http',
    ],
    [
      'a URL with a password',
      [...track, '--url', `http://u:${mark}@h/`],
      '--url: must not contain a user',
    ],
    ['an endpoint', [...track, '--write-key', mark, '--endpoint', `h?${mark}`], '--endpoint: not'],
    ['a key without a collector', [...track, '--write-key', mark], 'use --endpoint'],
    ['both targets', [...track, '--write-key', mark, '--url', `http://h?${mark}`], 'of one target'],
    [
      'a header without a name',
      [...track, ...nowhere, '-H', mark],
      "must have the form 'Name: value'",
    ],
    ['a header with a bad name', [...track, ...nowhere, '-H', `a b: ${mark}`], 'letters, digits'],
    ['a header that is ours', [...track, ...nowhere, '-H', `Expect: ${mark}`], 'header Expect is'],
    ['a header with a newline', [...track, ...nowhere, '-H', `A: x\n${mark}`], 'the header A has'],
    ['a property without =', [...track, ...nowhere, '-P', `key: ${mark}`], '-P argument has no'],
    ['a URL of a profile', [...track, '-p', 'url'], 'not a valid http'],
    ['a header of a profile', [...track, '-p', 'header'], 'header Expect is set by evfwd'],
    ['a header value of a profile', [...track, '-p', 'value'], 'header X-A has characters'],
    ['a collector of a profile', [...track, '-p', 'collector'], 'not a valid http'],
    ['the query of a fault', ['listen', '--fault', `path=/?k=${mark}`], '?…": path must begin'],
    ['another header', ['verify-sig', 'body.json', '--header', `A: ${mark}`], 'no secret; use'],
    ['a header without a colon', ['verify-sig', 'body.json', '--header', mark], 'has no colon'],
  ])('%s', async (_, args, said) => {
    for (const more of [[], ['--json']]) {
      const { code, stdout, stderr } = await cli([...args, ...more], { cwd });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).not.toContain(mark);
      expect(stderr.split('\n').filter((line) => !line.startsWith('warning: '))).toHaveLength(2);
      if (more.length === 0) expect(stderr).toContain(said);
      else
        expect(stderr.trim().split('\n').at(-1)).toMatch(
          /^\{"error":\{"code":"\w+","message":".*"\}\}$/,
        );
    }
  });

  it('in the environment', async () => {
    const env = { EVFWD_URL: `ftp://h/?k=${mark}`, EVFWD_SECRET: mark };
    const { code, stderr } = await cli(track, { cwd, env });
    expect({ code, stderr: stderr.includes(mark) }).toEqual({ code: 2, stderr: false });
  });
});

describe('a value that begins with dashes', () => {
  it('is accepted after an equals sign', async () => {
    const args = ['send', 'track', '--user-id', 'u', '--event=--E', ...nowhere, '--dry-run'];
    const { code, stdout } = await cli(args);
    expect(code).toBe(0);
    expect(stdout).toContain('"event":"--E"');
  });
});
