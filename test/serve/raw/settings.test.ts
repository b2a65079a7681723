import { describe, expect, it } from 'vitest';
import { freePort } from '../../helpers/postgres.js';
import { standardSecret } from '../../helpers/signing.js';
import { serving } from '../serving.js';
import { relay, routingOf } from './relaying.js';

const destination = "destinations: { app: { endpoints: [{ url: 'http://127.0.0.1:9' }] } }\n";

const withSource = (settings: string): string =>
  `sources:\n  hooks: { ${settings}, destinations: [app] }\n${destination}`;

describe('the settings of a raw source', () => {
  it('have defaults: path, scheme, and enforce where there is a secret', async () => {
    const { sources, destinations } = await routingOf(withSource('type: raw, secret: s'));
    expect(sources[0]).toMatchObject({
      name: 'hooks',
      raw: {
        path: '/in/hooks',
        scheme: 'auto',
        secrets: ['s'],
        enforce: true,
        respond: { status: 200, rules: [] },
      },
    });
    expect(sources[0]).not.toHaveProperty('writeKey');
    expect(destinations[0]).not.toHaveProperty('resign');
    const open = await routingOf(withSource('type: raw'));
    expect(open.sources[0]!.raw).toMatchObject({ secrets: [], enforce: false });
  });

  it.each([
    ['type: raw, writeKey: k', 'sources.hooks.writeKey is a key of sources of events'],
    ['secret: s, writeKey: k', 'sources.hooks.secret is a key of a source of type: raw'],
    ['secret: s', 'sources.hooks.secret is a key of a source of type: raw; add that type'],
    ['scheme: github', 'sources.hooks.scheme is a key of a source of type: raw; add that type'],
    ['path: /in/x', 'sources.hooks.path is a key of a source of type: raw; add that type'],
    ['type: raw, enforce: true', 'sources.hooks.enforce needs a secret'],
    ['type: raw, scheme: gitub', 'sources.hooks.scheme: there is no signature scheme "gitub"'],
    ['type: raw, path: in', 'sources.hooks.path is not a path'],
    ["type: raw, path: '/in/*/x'", 'sources.hooks.path is not a path'],
    ['type: raw, path: /v1/batch', 'is a path of the service itself'],
    ["type: raw, path: '/_evfwd/*'", 'is a path of the service itself'],
    ['type: raw, respond: { status: 500 }', 'sources.hooks.respond'],
    [
      "type: raw, respond: ['status=204', 'path=/x,status=302']",
      'sources.hooks.respond[1]: status must be a status from 200 to 299: what it answers is stored',
    ],
    ["type: raw, respond: ['stats=200']", 'sources.hooks.respond[0]: "stats" is not a part'],
    ['type: raw, scheme: standard-webhooks, secret: no-base64!', 'sources.hooks.secret'],
    ['type: raww', 'sources.hooks.type must be events or raw'],
  ])('%s: %s', async (settings, message) => {
    await expect(routingOf(withSource(settings))).rejects.toThrow(message);
    await expect(routingOf(withSource(settings))).rejects.toThrow(/evfwd\.config\.yaml:\d/);
  });

  it('have a path of their own', async () => {
    const yaml = `sources:
  one: { type: raw, path: /in/x, destinations: [app] }
  two: { type: raw, path: /in/x, destinations: [app] }
${destination}`;
    await expect(routingOf(yaml)).rejects.toThrow(
      'sources.two.path /in/x is already used by the source "one"',
    );
  });

  it('allow no retry window of more than 7 days, and resign with a header of the endpoint', async () => {
    const long = relay('http://127.0.0.1:9', { destination: 'retryWindow: 8d' });
    await expect(long).rejects.toThrow('destinations.app.retryWindow is longer than');
    const yaml = `${withSource('type: raw').split('destinations:\n')[0]!.replace(destination, '')}destinations:
  app:
    endpoints: [{ url: 'http://127.0.0.1:9', headers: { Webhook-Id: x } }]
    resign: { scheme: standard-webhooks, secret: ${standardSecret} }
`;
    await expect(routingOf(yaml)).rejects.toThrow('Webhook-Id');
  });
});

describe('the types of a destination', () => {
  const file = (types: string, sources = ''): string => `sources:
  hooks: { type: raw, destinations: [app] }
${sources}destinations:
  app:
    ${types}
`;
  const endpoint = "url: 'http://127.0.0.1:9'";

  it.each([
    [`endpoints: [{ ${endpoint}, types: [track, POST] }]`, 'endpoints[0].types[1]'],
    [`{ types: [POST], endpoints: [{ ${endpoint} }] }`, 'types[0]'],
  ])('that gets only requests do not apply to these: %s', async (settings, place) => {
    await expect(routingOf(file(settings))).rejects.toThrow(
      `evfwd.config.yaml:5: destinations.app.${place}: types are those of events, and do not apply to requests of raw sources; leave them out, or use where, e.g. where: ['method=POST']`,
    );
  });

  it('that gets events, too, are those of events', async () => {
    const settings = `endpoints: [{ ${endpoint}, types: [POST] }]`;
    const both = file(settings, '  web: { writeKey: k, destinations: [app] }\n');
    await expect(routingOf(both)).rejects.toThrow('has "POST", which is not a type; use one of');
  });
});

describe('the conditions of a destination', () => {
  const file = (where: string, sources: string): string => `sources:
${sources}
destinations:
  app:
    endpoints:
      - url: 'http://127.0.0.1:9'
        where: ['${where}']
`;
  const requests = '  hooks: { type: raw, destinations: [app] }';
  const possible = 'method, path, header.<name> or body.<path>';

  it.each([
    [
      'X-GitHub-Event=push',
      `no "X-GitHub-Event"; did you mean "header.x-github-event"? (${possible})`,
    ],
    ['!X-GitHub-Event', 'did you mean "header.x-github-event"?'],
    ['headers.X-Kind=1', 'no "headers.X-Kind"; did you mean "header.x-kind"?'],
    ['Header.x=1', 'did you mean "header.x"?'],
    ['header.x.y=1', 'did you mean "header.x\\.y"?'],
    ['bdy.ref=main', 'did you mean "body.ref"?'],
    ['Method=POST', 'did you mean "method"?'],
    ['path.name=/x', 'did you mean "path"?'],
    ['event=push', `no "event"; use ${possible}`],
    ['header', `no "header"; use ${possible}`],
  ])('that gets only requests may not be on anything else: %s', async (where, message) => {
    const read = routingOf(file(where, requests));
    await expect(read).rejects.toThrow(message);
    await expect(read).rejects.toThrow(
      'evfwd.config.yaml:7: destinations.app.endpoints[0].where[0]: requests have no ',
    );
  });

  it('never show the value', async () => {
    const secret = routingOf(file('token=s3cret', requests));
    await expect(secret).rejects.toThrow(/^(?!.*s3cret)/);
  });

  it('of all its endpoints are checked, too', async () => {
    const yaml = `sources:
${requests}
destinations:
  app: { where: ['method=POST', 'type=push'], endpoints: [{ url: 'http://127.0.0.1:9' }] }
`;
    await expect(routingOf(yaml)).rejects.toThrow(
      'evfwd.config.yaml:4: destinations.app.where[1]: requests have no "type"',
    );
  });

  it.each(['method=POST', 'path~/in/*', 'header.X-GitHub-Event=push', '!body.a.b', '!body'])(
    'may be on %s',
    async (where) => {
      await expect(routingOf(file(where, requests))).resolves.toBeDefined();
    },
  );

  it('that gets events, too, may be about these', async () => {
    const both = `${requests}\n  web: { writeKey: k, destinations: [app] }`;
    await expect(routingOf(file('properties.total>10', both))).resolves.toBeDefined();
  });
});

it('a warning at the start names a destination whose signatures would be too old', async () => {
  const timed = { source: 'scheme: stripe\nsecret: s' };
  const { logged } = await serving(await relay('http://127.0.0.1:9', timed));
  const warnings = logged.filter((line) => line.startsWith('warn signatures of this scheme'));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('valid for 5 min');
  expect(warnings[0]).toContain('"destination":"app"');
  const anew = { ...timed, destination: 'resign: { scheme: stripe, secret: s }' };
  const second = await serving(await relay('http://127.0.0.1:9', anew));
  expect(second.logged.join('\n')).not.toContain('signatures of this scheme');
});

describe('a warning at the start names', () => {
  const warningsOf = async (settings: Parameters<typeof relay>[1], url = 'http://127.0.0.1:9') =>
    (await serving(await relay(url, settings))).logged.filter((line) => line.startsWith('warn'));

  it('a source with a scheme and without a secret', async () => {
    const [warning, ...rest] = await warningsOf({ source: 'scheme: github' });
    expect(rest).toEqual([]);
    expect(warning).toMatch(/scheme alone; set sources\.hooks\.secret.*"scheme":"github"/);
    expect(await warningsOf({ source: 'scheme: github\nsecret: s' })).toEqual([]);
  });

  it('a destination of raw sources alone with a sharedSecret', async () => {
    const secret = { destination: 'sharedSecret: s' };
    const [warning, ...rest] = await warningsOf(secret);
    expect(rest).toEqual([]);
    expect(warning).toMatch(/destinations\.app\.resign, or remove sharedSecret/);
    const resigning = {
      destination: `${secret.destination}\nresign: { scheme: github, secret: s }`,
    };
    expect(await warningsOf(resigning)).toEqual([
      expect.stringContaining('requests of raw sources; remove sharedSecret'),
    ]);
    const both = await routingOf(`sources:
  hooks: { type: raw, destinations: [app] }
  web: { writeKey: k, destinations: [app] }
destinations:
  app: { sharedSecret: s, endpoints: [{ url: 'http://127.0.0.1:9' }], allowPrivateNetworks: true }
`);
    expect((await serving(both)).logged.join('\n')).not.toContain('sharedSecret');
  });

  it('a destination that sends to the source from which it gets requests, also after a reload', async () => {
    const port = await freePort();
    const loop = (path: string) => relay(`http://localhost:${port}${path}`);
    const { logged, reroute } = await serving(await loop('/in/hooks/a'), { port });
    const warnings = () => logged.filter((line) => line.includes('which is a loop'));
    await expect.poll(warnings).toHaveLength(1);
    expect(warnings()[0]).toContain('"source":"hooks"');
    await reroute(await loop('/app'));
    await reroute(await loop('/in/hooks'));
    await expect.poll(warnings).toHaveLength(2);
  });
});
