import { describe, expect, it } from 'vitest';
import { folderWith } from '../../helpers/folder.js';
import { inProcess as cli } from '../../helpers/in-process.js';

describe('a flag for a member that the type does not have', () => {
  it.each([
    ['identify -P a=1', '-P is for track, page and screen, not for identify; use -T'],
    ['group --properties {}', 'not for group; use --traits'],
    ['--fixture identify -P a=1', 'not for identify; use -T'],
    ['alias -P a=1', 'not for alias; leave it out'],
    ['track -T a=1', '-T is for identify and group, not for track; use -P'],
    ['page --traits {}', 'not for page; use --properties'],
    ['track --name x', '--name is for page and screen, not for track; use --event'],
    ['identify --event x', '--event is for track, not for identify; leave it out'],
    ['screen --event x', '--event is for track, not for screen; use --name'],
    ['identify --category x', 'use -T category=…'],
    ['page --previous-id x', '--previous-id is for alias, not for page; leave it out'],
    ['track --group-id x', `not for track; use --context '{"groupId":"…"}'`],
    ['delete --anonymous-id x', 'not for delete; leave it out'],
    ['delete --context {}', 'not for delete; leave it out'],
  ])('is refused: send %s', async (args, said) => {
    const { code, stderr } = await cli([
      'send',
      ...args.split(' '),
      '--url',
      'http://127.0.0.1:1/',
    ]);
    expect(stderr).toContain(said);
    expect(stderr.match(/\n/g)).toHaveLength(1);
    expect(code).toBe(2);
  });

  it.each(['track', 'page', 'screen', 'identify', 'group', 'alias', 'delete'])(
    'is not a flag that the type has: %s',
    async (type) => {
      const target = ['--url', 'http://127.0.0.1:1/', '--dry-run'];
      const { code, stderr } = await cli(['send', '--fixture', type, '--user-id', 'u', ...target]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    },
  );
});

describe('send says all that is missing at once', () => {
  it.each([
    ['', 'a type (e.g. track), a user (--user-id or --anonymous-id), a target (--url '],
    ['track', 'an event name (--event), a user (--user-id or --anonymous-id), a target ('],
    ['group --user-id u', 'a group ID (--group-id), a target ('],
    ['alias --url http://h/', 'a previous ID (--previous-id), a user ID (--user-id); e.g.'],
    ['identify --write-key k', 'a user (--user-id or --anonymous-id), a collector URL (--endpoint'],
  ])('send %s', async (args, said) => {
    const { code, stderr } = await cli(['send', ...args.split(' ').filter(Boolean)]);
    expect(stderr).toContain(`evfwd: missing: ${said}`);
    expect(stderr).toContain('; e.g. evfwd send track --event ');
    expect(stderr.match(/\n/g)).toHaveLength(1);
    expect(code).toBe(2);
  });

  it('but says one alone with its flag', async () => {
    const { stderr } = await cli(['send', 'track', '--user-id', 'u', '--url', 'http://h/']);
    expect(stderr).toContain(`track needs an "event" name; use --event 'Order Completed'`);
  });
});

describe('what is not one event', () => {
  const line = '{"type":"track","userId":"u","event":"E"}';

  it.each([
    ['several lines', `${line}\n${line}\n`, 'has several lines of JSON; use evfwd import'],
    ['an array', `[${line}]`, 'must be a JSON object, not a JSON array; pass one event, or'],
  ])('is refused with the way to send it: %s', async (_, text, said) => {
    const cwd = folderWith({ data: text });
    const { code, stderr } = await cli(
      ['send', '--data', '@data', '--url', 'http://127.0.0.1:1/'],
      { cwd },
    );
    expect(stderr).toContain(`--data @data ${said}`);
    expect(code).toBe(2);
  });
});

it.each([
  ['--curl --json', '--curl and --json cannot be combined'],
  ['--curl --dry-run', '--curl and --dry-run cannot be combined'],
  [
    '--dry-run --expect-status 401',
    '--expect-status needs a response, and --dry-run sends nothing',
  ],
  ['--expect-status 600', '--expect-status: "600" is not a status; use one like 401, or a class'],
  ['--expect-status 401,403', '"401,403" is not a status'],
])('send %s is a usage error', async (args, said) => {
  const target = ['--fixture', 'track', '--url', 'http://127.0.0.1:1/'];
  const { code, stdout, stderr } = await cli(['send', ...target, ...args.split(' ')]);
  expect(stderr).toContain(said);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});
