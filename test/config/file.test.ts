import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadProfile } from '../../src/config/file.js';
import { UsageError } from '../../src/errors.js';

const documented = `profiles:
  staging:
    webhooks:
      sharedSecret: \${STAGING_SECRET}
      endpoints:
        - url: https://staging.example.com/hook
          headers: { X-Team: growth }
sources:
  web: { writeKey: \${WEB_WRITE_KEY}, destinations: [crm] }
destinations:
  crm:
    type: Webhooks              # what integrations call it, unless it has a name
    enabled: true
    allowPrivateNetworks: false # serve only: \${NOT_A_REFERENCE}
    sharedSecret: \${CRM_SECRET}
    endpoints: [{ url: https://crm.example.com/hook }]
`;

let root: string;
let directory: string;
let count = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'evfwd-config-'));
});
afterAll(() => rm(root, { recursive: true }));
beforeEach(async () => {
  directory = join(root, String(count++));
  await mkdir(directory);
});

describe('what a profile holds', () => {
  it('reads the documented example, needing only the variables of the chosen profile', async () => {
    const profile = await load(documented, { STAGING_SECRET: 's3' });
    expect(profile).toEqual({
      name: 'staging',
      location: `${join(directory, 'evfwd.config.yaml')}:2: profiles.staging`,
      webhooks: {
        sharedSecret: 's3',
        endpoints: [{ url: 'https://staging.example.com/hook', headers: { 'X-Team': 'growth' } }],
      },
    });
  });

  it('reads a collector, times in milliseconds and the other settings', async () => {
    const text = `profiles:
  staging:
    collector: { writeKey: \${KEY}, endpoint: "https://\${HOST}/v1/batch" }
    timeout: 1500ms
    retryWindow: \${WINDOW}
    allUrls: true
`;
    expect(await load(text, { KEY: 'k', HOST: 'c.example.com', WINDOW: '2h' })).toMatchObject({
      collector: { writeKey: 'k', endpoint: 'https://c.example.com/v1/batch' },
      timeoutMs: 1500,
      retryWindowMs: 7_200_000,
      allUrls: true,
    });
  });

  it('cannot be changed', async () => {
    const profile = await load(documented, { STAGING_SECRET: 's3' });
    expect(Object.isFrozen(profile)).toBe(true);
    expect(Object.isFrozen(profile.webhooks?.endpoints[0]?.headers)).toBe(true);
  });

  it('reads JSON with tabs', async () => {
    const json = JSON.stringify(
      { profiles: { staging: { collector: { writeKey: '${KEY}', endpoint: 'https://c/' } } } },
      null,
      '\t',
    );
    await writeFile(join(directory, 'evfwd.config.json'), json);
    expect((await loadHere({ env: { KEY: 'k' } })).collector?.writeKey).toBe('k');
  });

  it('lets profiles share a part through an anchor', async () => {
    const text = `profiles:
  base: &base
    webhooks: { endpoints: [{ url: "https://a/" }] }
  staging:
    <<: *base
    timeout: 1s
`;
    const profile = await load(text);
    expect(profile.webhooks?.endpoints[0]?.url).toBe('https://a/');
    expect(profile.timeoutMs).toBe(1000);
  });

  it('inserts any value of the environment unchanged, however the reference is quoted', async () => {
    const text = `profiles:
  staging:
    webhooks:
      sharedSecret: "\${SECRET}"
      endpoints:
        - { url: 'https://a/\${SECRET}' }
    collector: { writeKey: \${SECRET}\${SECRET}, endpoint: 'https://c/' }
`;
    await fc.assert(
      fc.asyncProperty(hardText, async (secret) => {
        const { webhooks, collector } = await load(text, { SECRET: secret });
        expect(webhooks?.sharedSecret).toBe(secret);
        expect(webhooks?.endpoints[0]).toEqual({ url: `https://a/${secret}` });
        expect(collector?.writeKey).toBe(secret + secret);
      }),
      { numRuns: 60 },
    );
  });

  it('is not led astray by text that looks like its own marks', async () => {
    const text = `profiles:
  staging:
    webhooks:
      sharedSecret: EVFWD0X\${A}EVFWD1X\${B}EVFWD
      endpoints: [{ url: 'https://a/' }]
`;
    const { webhooks } = await load(text, { A: 'a', B: 'b' });
    expect(webhooks?.sharedSecret).toBe('EVFWD0XaEVFWD1XbEVFWD');
  });
});

describe('what is wrong with a file', () => {
  const endpoints = 'endpoints: [{ url: "https://a/" }]';

  it.each([
    [
      'an unknown key at the top',
      'profile: {}',
      '1: profile is not a known key; did you mean profiles? (one of profiles',
    ],
    [
      'an unknown key',
      profile(`timeuot: 5s`),
      '3: profiles.staging.timeuot is not a known key; did you mean timeout? (one of',
    ],
    [
      'a typo in a required key',
      profile(`webhooks: { endpoint: [] }`),
      '3: profiles.staging.webhooks.endpoint is not a known key; did you mean endpoints? (one of',
    ],
    [
      'an unknown key of an endpoint',
      profile(`webhooks:\n      endpoints:\n        - url: a\n          header: {}`),
      '6: profiles.staging.webhooks.endpoints[0].header is not a known key; did you mean headers? (one of',
    ],
    [
      'a reference as a key',
      profile(`\${KEY}: 1`),
      '3: profiles.staging.${KEY} is not a known key',
    ],
    [
      'an unknown key in a part that is not used',
      `${profile(endpoints)}sources:\n  web: { writekey: s3cret }`,
      'is not a known key',
    ],
    [
      'a missing key',
      profile('collector: { writeKey: s3cret }'),
      '3: profiles.staging.collector.endpoint is missing',
    ],
    [
      'a number for text',
      profile('collector: { writeKey: 5, endpoint: a }'),
      '3: profiles.staging.collector.writeKey must be text; put the value in quotes',
    ],
    [
      'an empty secret',
      profile(`webhooks: { sharedSecret: "", ${endpoints} }`),
      '3: profiles.staging.webhooks.sharedSecret must not be empty',
    ],
    [
      'a secret of spaces',
      profile(`webhooks: { sharedSecret: [s, "  "], ${endpoints} }`),
      '3: profiles.staging.webhooks.sharedSecret[1] must not be only white space',
    ],
    [
      'text for a switch',
      profile('allUrls: "yes"'),
      '3: profiles.staging.allUrls must be true or false, without quotes',
    ],
    [
      'a number for a duration',
      profile('timeout: 5'),
      '3: profiles.staging.timeout must be a duration; use a unit',
    ],
    [
      'a duration without a unit',
      profile('timeout: "5"'),
      '3: profiles.staging.timeout must be a duration; use a unit',
    ],
    [
      'no endpoints',
      profile('webhooks: { endpoints: [] }'),
      '3: profiles.staging.webhooks.endpoints must have at least one endpoint',
    ],
    [
      'six endpoints',
      profile(`webhooks: { endpoints: [${'{ url: a }, '.repeat(6)}] }`),
      '3: profiles.staging.webhooks.endpoints has too many endpoints; the maximum is 5',
    ],
    [
      'six headers',
      profile(
        'webhooks: { endpoints: [{ url: a, headers: { a: a, b: b, c: c, d: d, e: e, f: f } }] }',
      ),
      '3: profiles.staging.webhooks.endpoints[0].headers has too many headers; the maximum is 5',
    ],
    ['a list for a mapping', 'profiles: []', '1: profiles must be a mapping'],
    [
      'a bare word',
      'hello',
      '1: the file must be a mapping with the keys profiles, sources, destinations',
    ],
    [
      'an empty section',
      profile('webhooks:'),
      '3: profiles.staging.webhooks must be a mapping with the keys sharedSecret, endpoints',
    ],
    [
      'another type of destination',
      'destinations:\n  crm: { type: Smtp, endpoints: [{ url: a }] }',
      '2: destinations.crm.type must be Webhooks',
    ],
    [
      'an unset variable',
      profile('collector: { writeKey: a, endpoint: "${NOPE}" }'),
      '3: profiles.staging.collector.endpoint needs the environment variable NOPE, which is not set',
    ],
    [
      'a variable named like a method',
      profile('collector: { writeKey: a, endpoint: "${toString}" }'),
      'variable toString, which is not set',
    ],
    ['an empty variable', profile('timeout: ${EMPTY}'), 'EMPTY, which is empty'],
    [
      'a variable of spaces for a secret',
      profile(`webhooks: { sharedSecret: "\${BLANK}", ${endpoints} }`),
      'sharedSecret needs the environment variable BLANK, which has only white space; set it',
    ],
    [
      'a variable that is no duration',
      profile('timeout: ${SECRET}'),
      '3: profiles.staging.timeout must be a duration',
    ],
    [
      'a reference with a default',
      profile('timeout: "${SECRET:-5s}"'),
      '3: profiles.staging.timeout has a ${ that is not ${NAME}',
    ],
    [
      'a duplicated key',
      profile('timeout: 1s\n    timeout: 2s'),
      '4: profiles.staging.timeout is duplicated: it is also on line 3; keep one',
    ],
    [
      'a name that is duplicated, once in quotes',
      'profiles:\n  a: {}\n  "a": {}',
      '3: profiles.a is duplicated: it is also on line 2; keep one',
    ],
    [
      'a key that is duplicated in JSON, once with an escape',
      '{\n\t"profiles": {\n\t\t"a": { "timeout": "1s",\n\t\t"time\\u006fut": "s3cret" }\n\t}\n}',
      '4: profiles.a.timeout is duplicated: it is also on line 3; keep one',
    ],
    [
      'a duplicated key in a list',
      profile('webhooks:\n      endpoints:\n        - url: s3cret\n          url: b'),
      '6: profiles.staging.webhooks.endpoints[0].url is duplicated: it is also on line 5',
    ],
    [
      'a duplicated reference as a key',
      'profiles:\n  a: { ${KEY}: 1, ${KEY}: 2 }',
      '2: profiles.a.${KEY} is duplicated',
    ],
    [
      'a number and the same text as names',
      'profiles:\n  1: {}\n  "1": {}',
      '3: profiles.1 is duplicated',
    ],
    [
      '__proto__ as a profile',
      `profiles:\n  __proto__: { ${endpoints} }`,
      '2: profiles.__proto__ cannot be used as a name; choose another',
    ],
    [
      '__proto__ as a source, in JSON',
      '{\n"sources": {\n"__proto__": { "writeKey": "s3cret", "destinations": [] } } }',
      '3: sources.__proto__ cannot be used as a name; choose another',
    ],
    [
      '__proto__ as a header',
      profile('webhooks: { endpoints: [{ url: a, headers: { __proto__: s3cret } }] }'),
      '3: profiles.staging.webhooks.endpoints[0].headers.__proto__ cannot be used as a name',
    ],
    [
      'a wrong value that is merged by <<',
      'profiles:\n  staging:\n    <<:\n      timeout: "5"\n    allUrls: true',
      '4: profiles.staging.timeout must be a duration',
    ],
    [
      'a URL of another protocol',
      profile(
        `webhooks:\n      endpoints:\n        - url: http://a/\n        - headers: {}\n          url: ftp://s3cret`,
      ),
      '7: profiles.staging.webhooks.endpoints[1].url: not a valid http:// or https://',
    ],
    [
      'a URL with a password, from the environment',
      profile('webhooks: { endpoints: [{ url: "http://u:${SECRET}@h/" }] }'),
      '3: profiles.staging.webhooks.endpoints[0].url: must not contain a user name or password',
    ],
    [
      'a header that is ours',
      profile(
        `webhooks:\n      endpoints:\n        - url: http://a/\n          headers:\n            A: b\n            Expect: s3cret`,
      ),
      '8: profiles.staging.webhooks.endpoints[0].headers.Expect: the header Expect is set by evfwd',
    ],
    [
      'a collector that is no URL',
      profile('collector:\n      writeKey: s3cret\n      endpoint: h?s3cret'),
      '5: profiles.staging.collector.endpoint: not a valid http:// or https://',
    ],
    [
      'a tag',
      profile('collector: { writeKey: !s3cret x, endpoint: a }'),
      '3: not valid YAML: a value that begins with ! needs quotes',
    ],
    [
      'an alias',
      profile('collector: { writeKey: *s3cret, endpoint: a }'),
      '3: not valid YAML: a value that begins with * needs quotes',
    ],
    [
      'a bad escape',
      profile('collector: { writeKey: "\\s3cret", endpoint: a }'),
      '3: not valid YAML: a backslash in double quotes',
    ],
    ['an open bracket', profile('collector: { writeKey: s3cret'), 'not valid YAML'],
    [
      'a second document',
      `${profile('timeout: 1s')}---\na: b`,
      'not valid YAML: a second document',
    ],
    ['an alias within itself', profile('webhooks: &x { endpoints: [*x] }'), 'evfwd.config.yaml'],
  ])('names file, line and key for %s, and no value', async (_, text, message) => {
    const error = await failure(load(text, { SECRET: 's3cret', EMPTY: '', BLANK: '  ' }));
    expect(error.message).toContain(join(directory, 'evfwd.config.yaml'));
    expect(error.message).toContain(message);
    expect(error.message).not.toMatch(/s3cret|\n/);
  });

  it('lists the profiles there are', async () => {
    await writeFile(join(directory, 'evfwd.config.yaml'), documented);
    const error = await failure(loadHere({ profile: 'stagin' }));
    expect(error.message).toContain('unknown profile "stagin"; did you mean staging? (one of');
  });

  it.each(['', '# nothing yet\n', 'sources: {}\n'])(
    'says that %j has no profiles',
    async (text) => {
      expect((await failure(load(text))).message).toContain('the file has no profiles');
    },
  );

  it.each(['toString', '__proto__'])(
    'has no profile %s unless the file says so',
    async (profile) => {
      await writeFile(join(directory, 'evfwd.config.yaml'), documented);
      expect((await failure(loadHere({ profile }))).message).toContain('unknown profile');
    },
  );
});

describe('where the file is looked for', () => {
  it('uses the nearest of the working directory and those above it', async () => {
    const inner = join(directory, 'a', 'b');
    await mkdir(inner, { recursive: true });
    await writeFile(join(directory, 'evfwd.config.yaml'), profile('timeout: 1s'));
    expect((await loadHere({ cwd: inner })).timeoutMs).toBe(1000);
    await writeFile(join(directory, 'a', 'evfwd.config.json'), jsonWithTimeout('2s'));
    expect((await loadHere({ cwd: inner })).timeoutMs).toBe(2000);
    await writeFile(join(directory, 'a', 'evfwd.config.yml'), profile('timeout: 3s'));
    expect((await loadHere({ cwd: inner })).timeoutMs).toBe(3000);
  });

  it('then looks into the configuration directory of the user', async () => {
    const home = join(directory, 'home');
    const xdg = join(directory, 'xdg');
    const cwd = join(directory, 'work');
    for (const [base, timeout] of [
      [join(home, '.config'), '1s'],
      [xdg, '2s'],
    ] as const) {
      await mkdir(join(base, 'evfwd'), { recursive: true });
      await writeFile(join(base, 'evfwd', 'evfwd.config.yml'), profile(`timeout: ${timeout}`));
    }
    await mkdir(cwd);
    expect((await loadHere({ cwd, home })).timeoutMs).toBe(1000);
    expect((await loadHere({ cwd, home, env: { XDG_CONFIG_HOME: xdg } })).timeoutMs).toBe(2000);
    expect((await loadHere({ cwd, home, env: { XDG_CONFIG_HOME: 'xdg' } })).timeoutMs).toBe(1000);
  });

  it('reads the file that is asked for, relative to the working directory', async () => {
    await writeFile(join(directory, 'evfwd.config.yaml'), profile('timeout: 1s'));
    await writeFile(join(directory, 'other.yaml'), profile('timeout: 2s'));
    const env = { EVFWD_CONFIG: 'other.yaml' };
    expect((await loadHere({ path: 'other.yaml' })).timeoutMs).toBe(2000);
    expect((await loadHere({ env })).timeoutMs).toBe(2000);
    expect((await loadHere({ path: 'evfwd.config.yaml', env })).timeoutMs).toBe(1000);
    expect((await loadHere({ env: { EVFWD_CONFIG: '' } })).timeoutMs).toBe(1000);
  });

  it('says where it looked, and which file it could not read', async () => {
    const nowhere = await failure(loadHere({}));
    expect(nowhere.message).toContain(`evfwd.config.yaml (or .yml, .json) in ${directory}`);
    expect(nowhere.message).toContain(join(directory, 'nobody', '.config', 'evfwd'));
    const missing = await failure(loadHere({ path: 'missing.yaml' }));
    expect(missing.message).toContain(`${join(directory, 'missing.yaml')} (ENOENT)`);
  });
});

/** Text that would end a YAML string, begin a comment or be a reference, were it spliced in. */
const hardText = fc
  .array(
    fc.constantFrom(
      '#',
      ' # ',
      ': ',
      '"',
      "'",
      '\n',
      '{',
      '}',
      '${HOME}',
      '\\',
      '&',
      'ü',
      '$&',
      '!',
    ),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((parts) => parts.join(''))
  // Refused, as an empty value is.
  .filter((text) => text.trim() !== '');

function profile(lines: string): string {
  return `profiles:\n  staging:\n    ${lines}\n`;
}

function jsonWithTimeout(timeout: string): string {
  return JSON.stringify({ profiles: { staging: { timeout } } });
}

async function load(text: string, env: Record<string, string> = {}) {
  await writeFile(join(directory, 'evfwd.config.yaml'), text);
  return loadHere({ env });
}

function loadHere(request: Partial<Parameters<typeof loadProfile>[0]>) {
  const home = join(directory, 'nobody');
  return loadProfile({ profile: 'staging', cwd: directory, home, env: {}, ...request });
}

async function failure(loading: Promise<unknown>): Promise<UsageError> {
  const error: unknown = await loading.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UsageError);
  return error as UsageError;
}
