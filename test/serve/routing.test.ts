import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { readRouting } from '../../src/serve/routing-file.js';
import { signingBy } from '../helpers/signing.js';
import { folderWith } from '../helpers/folder.js';

const documented = `sources:
  web: { writeKey: \${WEB_WRITE_KEY}, destinations: [crm] }
  app:
    writeKey: app-key
    enabled: false
    destinations: [crm, 'crm copy']
destinations:
  crm:
    type: Webhooks
    sharedSecret: \${CRM_SECRET}
    endpoints:
      - url: https://crm.example.com/hook
        headers: { X-Team: growth }
  crm copy:
    type: Webhooks
    name: Copies
    enabled: false
    allowPrivateNetworks: true
    endpoints: [{ url: 'http://127.0.0.1:9/' }]
`;

const env = { WEB_WRITE_KEY: 'web-key', CRM_SECRET: 's3' };

describe('the retention of a configuration file', () => {
  const web = 'sources: { web: { writeKey: k, destinations: [crm] } }';
  const crm = (more: string): string =>
    `destinations: { crm: { endpoints: [{ url: 'https://h/' }]${more} } }`;

  it('is that of each destination, up to maxDisk, and where it is asked for', async () => {
    const text = `retention: 2d\nmaxDisk: 1GB\n${web}\n${crm(', retention: 0')}`;
    const { keep } = await read(text);
    expect(keep).toMatchObject({
      ...{ retentionMs: 172_800_000, maxBytes: 1024 ** 3, ofDestinations: new Map([['crm', 0]]) },
    });
    expect((await read(`retention: 0\n${web}\n${crm('')}`)).keep).toEqual({
      ...{ retentionMs: 0, maxBytes: 10 * 1024 ** 3, ofDestinations: new Map() },
    });
  });

  it.each([
    ['retention: 7', 'retention must be a duration, or 0 to keep nothing; use a unit, e.g. 7d'],
    ['maxDisk: 10', 'maxDisk must be a size; use a unit, e.g. 512B, 500KB, 2MB or 10GB'],
    ['maxDisk: 10 GB', 'maxDisk must be a size; write 10GB'],
    ['maxDisk: 0', 'maxDisk must be a size such as 10GB; to keep nothing, use retention: 0'],
    ["maxDisk: '0'", 'maxDisk must be a size such as 10GB; to keep nothing, use retention: 0'],
    ['maxDisk: [10GB]', 'maxDisk must be a size; use a unit'],
  ])('%s is an error that names it', async (line, message) => {
    await expect(read(`${line}\n${web}\n${crm('')}`)).rejects.toThrow(message);
  });

  it.each([
    ['retention', '7', 'retention must be a duration, or 0 to keep nothing; use a unit, e.g. 7d'],
    ['retention', '-1d', 'retention must be a duration, or 0 to keep nothing; use a unit, e.g. 7d'],
    ['maxDisk', '10', 'maxDisk must be a size; use a unit, e.g. 512B, 500KB, 2MB or 10GB'],
    ['maxDisk', '10 gb', 'maxDisk must be a size; write 10GB'],
    ['maxDisk', '0', 'maxDisk must be a size such as 10GB; to keep nothing, use retention: 0'],
    ['maxDisk', '0MB', 'maxDisk must be a size such as 10GB; to keep nothing, use retention: 0'],
  ])('%s: %s is the same error from the environment', async (key, value, message) => {
    const line = `${key}: \${KEEP}`;
    await expect(read(`${line}\n${web}\n${crm('')}`, { KEEP: value })).rejects.toThrow(message);
    await expect(read(`${key}: ${value}\n${web}\n${crm('')}`)).rejects.toThrow(message);
  });
});

describe('the routing of a configuration file', () => {
  it('has the sources and destinations, with environment variables expanded', async () => {
    expect(await read(documented)).toEqual({
      keep: { retentionMs: 604_800_000, maxBytes: 10 * 1024 ** 3, ofDestinations: new Map() },
      sources: [
        { name: 'web', writeKey: 'web-key', isEnabled: true, destinations: ['crm'] },
        { name: 'app', writeKey: 'app-key', isEnabled: false, destinations: ['crm', 'crm copy'] },
      ],
      destinations: [
        {
          name: 'crm',
          integrationName: 'Webhooks',
          isEnabled: true,
          allowPrivateNetworks: false,
          signing: signingBy('x-signature', 's3'),
          endpoints: [{ url: 'https://crm.example.com/hook', headers: { 'X-Team': 'growth' } }],
        },
        {
          name: 'crm copy',
          integrationName: 'Copies',
          isEnabled: false,
          allowPrivateNetworks: true,
          endpoints: [{ url: 'http://127.0.0.1:9/' }],
        },
      ],
    });
  });

  it('signs by the scheme of a destination, also by one of its own, with all secrets', async () => {
    const own = `schemes:
  acme:
    content: '{body}'
    digest: sha512
    encoding: hex
    header: X-Acme
    value: '{signature}'
`;
    const text = documented
      .replace('sharedSecret: ${CRM_SECRET}', 'scheme: stripe\n    sharedSecret: [new, old]')
      .replace('name: Copies', 'name: Copies\n    scheme: acme\n    sharedSecret: s');
    const { destinations } = await read(own + text);
    expect(destinations[0]!.signing).toEqual(signingBy('stripe', 'new', 'old'));
    expect(destinations[1]!.signing).toMatchObject([
      { scheme: { name: 'acme', header: 'X-Acme' }, secrets: ['s'] },
    ]);
  });

  it.each([
    ['an unknown scheme', 'scheme: strip', ':11: destinations.crm.scheme', /mean stripe\?/],
    ['a second secret', 'scheme: github', ':10: destinations.crm.sharedSecret', /2 secrets/],
    ['a secret in another form', 'scheme: svix', ':10: destinations.crm.sharedSecret', /Base64/],
    [
      'a header of the scheme',
      'scheme: stripe\n    # X-Team',
      'destinations.crm.endpoints',
      /the header Stripe-Signature is set by the scheme stripe/,
    ],
  ])('names the line of %s', async (what, scheme, where, why) => {
    const given = documented
      .replace('sharedSecret: ${CRM_SECRET}', `sharedSecret: [a b, old]\n    ${scheme}`)
      .replace(
        'X-Team: growth',
        what.includes('header') ? 'Stripe-Signature: x' : 'X-Team: growth',
      );
    const message = await mistakeOf(given);
    expect(message).toContain(where);
    expect(message).toMatch(why);
    expect(message).not.toContain('a b');
  });

  it('needs a secret for a scheme', async () => {
    const text = documented.replace('sharedSecret: ${CRM_SECRET}', 'scheme: stripe');
    expect(await mistakeOf(text)).toMatch(/:10: destinations\.crm\.scheme needs a sharedSecret/);
  });

  it('has where alerts about a destination go, after 15 minutes unless it says another time', async () => {
    const text = documented
      .replace(
        'sharedSecret: ${CRM_SECRET}',
        'alerts: { url: "https://chat.example.com/${CRM_SECRET}", sharedSecret: ${CRM_SECRET} }',
      )
      .replace('name: Copies', 'alerts: { url: https://chat.example.com, after: 90s }');
    const { destinations } = await read(text);
    expect(destinations.map(({ alerts }) => alerts)).toEqual([
      {
        url: 'https://chat.example.com/s3',
        signing: signingBy('x-signature', 's3'),
        afterMs: 900_000,
      },
      { url: 'https://chat.example.com', afterMs: 90_000 },
    ]);
  });

  it('sends alerts through the proxy of the destination, by the environment that of their URL', async () => {
    const proxies = async (proxy: string) => {
      const alerts = `alerts: { url: "https://chat.example.com" }, proxy: "${proxy}"`;
      const lines = alerts.replace(', proxy', '\n    proxy');
      const { destinations } = await read(
        documented.replace('sharedSecret: ${CRM_SECRET}', lines),
        {
          https_proxy: 'http://p.example:1',
          no_proxy: 'chat.example.com',
        },
      );
      return destinations[0]!.alerts!.proxy;
    };
    expect(await proxies('http://own.example:2')).toBe('http://own.example:2');
    expect(await proxies('env')).toBeUndefined();
  });

  it.each([
    ['url: chat.example.com', 'url', /did you mean http:\/\/chat/],
    ['url: "https://u:p@chat.example.com"', 'url', /password; use a URL with a token/],
    ['url: "https://chat.example.com", after: 15', 'after', /must be a duration/],
    ['url: "https://chat.example.com", after: 0s', 'after', /must be a duration/],
    ['url: "https://chat.example.com", after: ${CRM_SECRET}', 'after', /must be a duration/],
    ['url: "https://chat.example.com", scheme: stripe', 'scheme', /needs a sharedSecret/],
    ['url: "https://chat.example.com", sharedSecret: x, scheme: svix', 'sharedSecret', /Base64/],
    ['url: "https://chat.example.com", afer: 5m', 'afer', /did you mean after/],
    ['after: 5m', 'url', /is missing/],
  ])('names the line of alerts that cannot be used: %s', async (alerts, key, why) => {
    const text = documented.replace('sharedSecret: ${CRM_SECRET}', `alerts: { ${alerts} }`);
    const message = await mistakeOf(text);
    expect(message).toContain(`:10: destinations.crm.alerts.${key}`);
    expect(message).toMatch(why);
  });

  it('orders the events of users only where it says so, by users', async () => {
    const text = documented.replace('sharedSecret: ${CRM_SECRET}', 'ordered: user');
    const { destinations } = await read(text);
    expect(destinations.map(({ ordered }) => ordered)).toEqual(['user', undefined]);
    expect(await mistakeOf(text.replace('ordered: user', 'ordered: true'))).toMatch(
      /:10: destinations\.crm\.ordered must be user/,
    );
  });

  it('refuses batches beside an order, and those that wait longer than their alerts', async () => {
    const batched = (more: string): string =>
      documented.replace('sharedSecret: ${CRM_SECRET}', `batch: { wait: 20m }\n    ${more}`);
    expect(await mistakeOf(batched('ordered: user'))).toMatch(
      /destinations\.crm\.ordered: events of one user cannot go one after the other in batches/,
    );
    expect(await mistakeOf(batched('alerts: { url: http://127.0.0.1:1/a }'))).toMatch(
      /destinations\.crm\.batch: wait must be shorter than after of its alerts/,
    );
  });

  it('has the limit of dead letters, if configured', async () => {
    const routing = await read(`deadLetters: { keep: 250000 }\n${documented}`);
    expect(routing.maxDeadLetters).toBe(250_000);
  });

  it('accepts names that are members of every object', async () => {
    const named = documented.replaceAll('crm copy', 'constructor').replace('  app:', '  toString:');
    const { sources, destinations } = await read(named);
    expect(sources.map(({ name }) => name)).toEqual(['web', 'toString']);
    expect(destinations.map(({ name }) => name)).toEqual(['crm', 'constructor']);
  });

  const mistakes: [what: string, from: string | RegExp, to: string, where: string, why: RegExp][] =
    [
      [
        'an empty list of types',
        'headers: { X-Team: growth }',
        'types: []',
        ':13: destinations.crm.endpoints[0].types',
        /must not be empty/,
      ],
      [
        'a filter that can never hold',
        'headers: { X-Team: growth }',
        "where: ['plan', '!plan']",
        ':13: destinations.crm.endpoints[0].where[1]',
        /!plan can never hold beside plan/,
      ],
      [
        'an unknown destination',
        '[crm]',
        '[cmr]',
        ':2: sources.web.destinations[0]',
        /did you mean "crm"/,
      ],
      [
        'a name that JavaScript reserves',
        '  crm copy:',
        '  __proto__:',
        ':14: destinations.__proto__',
        /cannot be used as a name/,
      ],
      [
        'the same name in a mapping that is merged',
        '  crm copy:',
        '  <<: { __proto__: { type: Webhooks } }\n  crm copy:',
        ':14: destinations.__proto__',
        /cannot be used as a name/,
      ],
      [
        'a limit of 0 dead letters',
        'sources:',
        'deadLetters: { keep: 0 }\nsources:',
        ':1: deadLetters.keep',
        /must be 1 or more/,
      ],
      [
        'a limit of dead letters that is text',
        'sources:',
        "deadLetters: { keep: '5' }\nsources:",
        ':1: deadLetters.keep',
        /must be a whole number/,
      ],
      [
        'a misspelled limit',
        'sources:',
        'deadLetters: { kept: 5 }\nsources:',
        ':1: deadLetters.kept',
        /use one of keep$/,
      ],
      [
        'a duplicated destination',
        '[crm]',
        '[crm, crm]',
        ':2: sources.web.destinations[1]',
        /"crm" is duplicated/,
      ],
      [
        'a write key of two sources',
        'app-key',
        '${WEB_WRITE_KEY}',
        ':4: sources.app.writeKey',
        /source "web"/,
      ],
      ['a write key with a colon', 'app-key', '"app:key"', ':4: sources.app.writeKey', /colons/],
      [
        'a URL without a protocol',
        'https://crm',
        'crm',
        ':12: destinations.crm.endpoints[0].url',
        /https:\/\//,
      ],
      [
        'a reserved header',
        'X-Team',
        'X-Signature',
        ':13: destinations.crm.endpoints[0].headers',
        /set by evfwd/,
      ],
      ['a header value with a line break', 'growth', '"a\\nb"', ':13: destinations', /newlines/],
      [
        'a variable that is not set',
        'CRM_SECRET',
        'OTHER',
        ':10: destinations.crm.sharedSecret',
        /OTHER, which is not set; set it$/,
      ],
      [
        'an empty secret',
        '${CRM_SECRET}',
        '""',
        ':10: destinations.crm.sharedSecret',
        /must not be empty/,
      ],
      [
        'an unknown key',
        'enabled: false',
        'enable: false',
        ':5: sources.app.enable',
        /mean enabled\?/,
      ],
      [
        'no endpoint',
        /endpoints: \[.*\]/,
        'endpoints: []',
        ':19: destinations.crm copy.endpoints',
        /at least one/,
      ],
    ];

  it('has the settings of endpoints, those of the destination where they have none', async () => {
    const own = documented.replace(
      'headers: { X-Team: growth }',
      "events: ['Order *']\n        rate: 100/s",
    );
    const text = own.replace(
      '    sharedSecret',
      '    types: [track]\n    timeout: 2s\n    sharedSecret',
    );
    const { destinations } = await read(text);
    const settings = { types: ['track'], events: ['Order *'], timeoutMs: 2_000, rate: 100 };
    expect(destinations[0]!.endpoints).toEqual([
      { url: 'https://crm.example.com/hook', ...settings },
    ]);
  });

  it.each(mistakes)('names the line of %s', async (_, from, to, where, why) => {
    const message = await mistakeOf(documented.replace(from, () => to));
    expect(message).toContain(where);
    expect(message).toMatch(why);
  });

  it.each(['profiles: {}\n', 'sources: {}\n'])('needs a source: %j', async (text) => {
    expect(await mistakeOf(text)).toMatch(/sources is missing or empty/);
  });

  it('never shows a key, a secret, a header value or the query of a URL', async () => {
    const secrets = `sources: { web: { writeKey: 'hush hush', destinations: [] } }\n`;
    expect(await mistakeOf(secrets)).not.toContain('hush');
    const query = documented.replace('https://crm.example.com/hook', 'crm.example.com?key=hush');
    expect(await mistakeOf(query)).not.toContain('hush');
    const header = documented.replace('X-Team: growth', 'User-Agent: hush');
    expect(await mistakeOf(header)).not.toContain('hush');
  });
});

function read(text: string, more: Readonly<Record<string, string>> = {}) {
  const path = `${folderWith({ 'evfwd.config.yaml': text })}/evfwd.config.yaml`;
  return readRouting(path, { ...env, ...more });
}

async function mistakeOf(text: string): Promise<string> {
  const error: unknown = await read(text).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  return (error as UsageError).message;
}
