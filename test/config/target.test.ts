import { describe, expect, it } from 'vitest';
import type { Profile } from '../../src/config/file.js';
import { chooseTarget, type TargetChoice } from '../../src/config/target.js';
import { UsageError } from '../../src/errors.js';

const url = 'http://flag/';
const endpoint = 'http://collector/';
const hooks = {
  ...{ name: 'staging', location: 'evfwd.config.yaml:2: profiles.staging' },
  webhooks: { endpoints: [{ url: 'http://profile/', headers: [['X', '1']] }] },
} as unknown as Profile;
const collecting = {
  ...{ name: 'staging', location: 'evfwd.config.yaml:2: profiles.staging' },
  collector: { writeKey: 'profile-key', endpoint: 'http://profile/' },
} as unknown as Profile;

type Row = [what: string, flags: TargetChoice, env: Record<string, string>, profile?: Profile];

function webhooksAt(...urls: string[]) {
  return { kind: 'webhooks', endpoints: urls.map((at) => expect.objectContaining({ url: at })) };
}

function collectorWith(writeKey: string, at: string) {
  return { kind: 'collector', writeKey, endpoint: at };
}

const env = { EVFWD_URL: 'http://env/' };
const keyEnv = { EVFWD_WRITE_KEY: 'env-key', EVFWD_ENDPOINT: 'http://env/' };

describe('the target', () => {
  it.each<[...Row, object]>([
    ['a flag', { url: [url] }, {}, undefined, webhooksAt(url)],
    ['several URLs', { url: [url, 'http://b/'] }, {}, undefined, webhooksAt(url, 'http://b/')],
    ['a flag before the environment', { url: [url] }, env, undefined, webhooksAt(url)],
    ['a flag before the profile', { url: [url] }, {}, hooks, webhooksAt(url)],
    ['the environment', {}, env, undefined, webhooksAt('http://env/')],
    ['URLs between spaces', {}, { EVFWD_URL: ' a  b\nc ' }, undefined, webhooksAt('a', 'b', 'c')],
    ['the environment before the profile', {}, env, collecting, webhooksAt('http://env/')],
    ['the profile', {}, {}, hooks, webhooksAt('http://profile/')],
    ['an empty variable is none', {}, { EVFWD_URL: '' }, hooks, webhooksAt('http://profile/')],
    ['a secret is for webhooks', { secret: ['s'] }, keyEnv, hooks, webhooksAt('http://profile/')],
    ['a key', { writeKey: 'k', endpoint }, {}, undefined, collectorWith('k', endpoint)],
    [
      'a key, its endpoint from outside',
      { writeKey: 'k' },
      keyEnv,
      undefined,
      collectorWith('k', 'http://env/'),
    ],
    [
      'a key sets the other environment aside',
      { writeKey: 'k', endpoint },
      env,
      undefined,
      collectorWith('k', endpoint),
    ],
    ['a URL sets the other environment aside', { url: [url] }, keyEnv, undefined, webhooksAt(url)],
    ['a key in the environment', {}, keyEnv, collecting, collectorWith('env-key', 'http://env/')],
    ['an endpoint alone', { endpoint }, {}, collecting, collectorWith('profile-key', endpoint)],
    [
      'a collector in the profile',
      {},
      {},
      collecting,
      collectorWith('profile-key', 'http://profile/'),
    ],
  ])('is chosen: %s', (_what, flags, variables, profile, place) => {
    expect(chooseTarget(flags, variables, profile)).toMatchObject(place);
  });

  it.each<[...Row, string]>([
    ['nothing', {}, {}, undefined, 'no target; use --url'],
    [
      'both flags',
      { url: [url], writeKey: 'k' },
      {},
      undefined,
      '--url is for webhooks and --write-key for a collector',
    ],
    [
      'flags that do not go together',
      { secretFile: ['f'], endpoint },
      {},
      undefined,
      '--secret-file is for webhooks and --endpoint',
    ],
    [
      'both variables',
      {},
      { ...env, ...keyEnv },
      undefined,
      'EVFWD_URL and EVFWD_WRITE_KEY are both set',
    ],
    [
      'both in the profile',
      {},
      {},
      { ...hooks, ...collecting },
      'evfwd.config.yaml:2: profiles.staging has webhooks and a collector',
    ],
    [
      'no URL',
      { secret: ['s'] },
      {},
      undefined,
      '--secret is for webhooks, but there is no webhook URL; use --url or EVFWD_URL',
    ],
    [
      'a flag for webhooks beside a profile with a collector',
      { body: 'original' },
      {},
      collecting,
      '--body is for webhooks, but evfwd.config.yaml:2: profiles.staging is a collector; leave it out, or use --url',
    ],
    [
      'a flag for a collector beside a profile with webhooks',
      { endpoint },
      {},
      hooks,
      '--endpoint is for a collector, but evfwd.config.yaml:2: profiles.staging has webhooks',
    ],
    ['no endpoint', { writeKey: 'k' }, {}, undefined, 'no collector URL; use --endpoint'],
    ['no key', { endpoint }, {}, undefined, 'no write key; use --write-key'],
    ['a header for URLs of a profile', { header: ['A: b'] }, {}, hooks, '--header needs --url'],
    [
      'a header without colon',
      { url: [url], header: ['secret-value'] },
      {},
      undefined,
      "must have the form 'Name: value'",
    ],
    [
      'six headers',
      { url: [url], header: Array<string>(6).fill('A: b') },
      {},
      undefined,
      'at most 5 headers, not 6',
    ],
  ])('is a mistake of usage: %s', (_what, flags, variables, profile, message) => {
    const choose = () => chooseTarget(flags, variables, profile);
    expect(choose).toThrow(UsageError);
    expect(choose).toThrow(message);
    expect(choose).not.toThrow('secret-value');
  });

  it('has the headers of the flags at each URL', () => {
    const header = ['X-A: 1: 2 ', 'X-B:'];
    const headers = [
      ['X-A', '1: 2'],
      ['X-B', ''],
    ];
    expect(chooseTarget({ url: ['a', 'b'], header }, {}, undefined)).toEqual({
      ...{ kind: 'webhooks', where: '--url' },
      endpoints: [
        { url: 'a', headers },
        { url: 'b', headers },
      ],
    });
  });
});
