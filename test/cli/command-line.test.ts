import { describe, expect, it } from 'vitest';
import { inProcess as cli } from '../helpers/in-process.js';
import { version } from '../../src/version.js';

const nowhere = ['--url', 'http://127.0.0.1:1/'];
const track = ['send', '--fixture', 'track', ...nowhere, '--dry-run'];

describe('the version', () => {
  it.each([['--version'], ['-V'], ['-v'], ['version']])('is printed by evfwd %s', async (word) => {
    expect(await cli([word])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
  });
});

describe('evfwd help', () => {
  it.each([[['help']], [['help', 'help']], [['help', 'version']], [['--help']], [['-h']], [[]]])(
    'lists the commands: %j',
    async (args) => {
      const { code, stdout } = await cli(args);
      expect(code).toBe(0);
      expect(stdout).toMatch(
        /^Usage: evfwd \[options\] \[command\]\n[^]*\n {2}send +send one event/,
      );
    },
  );

  it.each([
    ['send', 'Usage: evfwd send [options] [type]\n'],
    ['verify', 'Usage: evfwd verify-sig|verify [options] [body]\n'],
    ['audience', 'Usage: evfwd audience [options] [command] [what]\n'],
    ['audience trait', 'Usage: evfwd audience trait [options]\n'],
  ])('%s prints what --help of it prints', async (words, beginning) => {
    const help = await cli(['help', ...words.split(' ')]);
    expect(help).toEqual(await cli([...words.split(' '), '--help']));
    expect(help.stdout.startsWith(beginning)).toBe(true);
    expect(help.code).toBe(0);
  });

  it.each([
    [['help', 'nope'], "evfwd: unknown command 'nope'; see evfwd --help\n"],
    [['help', 'sned'], "evfwd: unknown command 'sned' (Did you mean send?); see evfwd --help\n"],
    [['nope', '--help'], "evfwd: unknown command 'nope'; see evfwd --help\n"],
    [['vresion'], "evfwd: unknown command 'vresion' (Did you mean version?); see evfwd --help\n"],
  ])('names an unknown command: %j', async (args, stderr) => {
    expect(await cli(args)).toMatchObject({ code: 2, stdout: '', stderr });
  });

  it('names one as JSON, too', async () => {
    const { stderr } = await cli(['help', 'nope', '--json']);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'usage' } });
  });
});

it.each([
  ['replay', '--canddiate', "'--cand…' (Did you mean --candidate?)"],
  ['replay', '--candidat', "'--candidat' (Did you mean --candidate?)"],
  ['replay', '--canidate', "'--can…' (Did you mean --candidate?)"],
  ['replay', '--dropheader', "'--drop…' (Did you mean --drop-header?)"],
  ['send', '--secret-fil', "'--secret-fil' (Did you mean --secret-file?)"],
  ['replay', '--candidatelocalhost', "'--candidate…' (Did you mean --candidate?)"],
])('%s %s suggests the nearest flag by its whole name', async (command, flag, said) => {
  const { code, stderr } = await cli([command, flag, 'x']);
  expect(code).toBe(2);
  expect(stderr).toBe(`evfwd: unknown option ${said}; see evfwd ${command} --help\n`);
});

describe('a wrong command line is explained in one line', () => {
  it.each<[what: string, args: readonly string[], said: string]>([
    [
      'a surplus argument',
      ['send', 'track', 'extra'],
      'unexpected argument "extra": evfwd send takes one argument, <type>; leave it out, or put',
    ],
    [
      'one that looks like a secret',
      ['send', 'track', 'key=hunter2'],
      'unexpected argument: evfwd send takes one argument, <type>;',
    ],
    ['one where none is', ['listen', '80'], 'unexpected argument "80": evfwd listen takes no arg'],
    ['a missing argument', ['report'], '<log> is missing: logs written by import --log, plain or'],
    ['a missing value', ['send', '--user-id'], '--user-id has no value; use --user-id <id>; see'],
    [
      'missing flags',
      ['audience', 'sync'],
      'missing: a name (--name), a list (--members), a target',
    ],
    [
      'one missing flag',
      ['audience', 'sync', '--name', 'x'],
      'missing: a list (--members), a target',
    ],
    ['no user of a list', ['export', '--users', ''], '--users: "" is an empty list; fill it, or'],
    ['only a comma', ['import', '--events', ' , '], '--events: " , " is an empty list; fill it,'],
    ['no source of a list', ['export', '--sources='], '--sources: "" is an empty list; fill it,'],
    ['a second profile', [...track, '-p', 'a', '-p', 'b'], '--profile: used twice; use it once'],
    ['a second scheme', [...track, '--scheme', 'a', '--scheme=b'], '--scheme: used twice; use it'],
    ['a bare duration', ['send', '--timeout', '5'], '--timeout: "5" has no unit; use 5s or 5ms'],
    ['a bare window', ['import', '--retry-window', '4'], '"4" has no unit; use 4s or 4ms'],
    ['a rate of nothing', ['import', '--rate', '0'], '--rate: "0" is not a valid rate; use e.g. 5'],
  ])('%s', async (_, args, said) => {
    const { code, stdout, stderr } = await cli(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(said);
    expect(stderr.match(/\n/g)).toHaveLength(1);
  });

  it('accepts repeatable flags', async () => {
    const { code, stdout } = await cli([
      ...track,
      ...nowhere,
      '-P',
      'a=1',
      '-P',
      'b=2',
      '-H',
      'A: 1',
    ]);
    expect(code).toBe(0);
    expect(stdout.match(/^POST /gm)).toHaveLength(2);
  });
});
