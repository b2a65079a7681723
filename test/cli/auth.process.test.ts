import { describe, expect, it } from 'vitest';
import { cli } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { startReceiver } from '../helpers/receiver.js';
import { startApi, startTokenServer } from '../helpers/token-server.js';

const lines = (count: number): string =>
  Array.from(
    { length: count },
    (_, n) => `{"type":"track","event":"E","userId":"u","messageId":"m${n}"}\n`,
  ).join('');

/** A folder with a profile `p` and events. */
function folder(url: string, auth: string): string {
  return folderWith({
    'evfwd.config.yaml': `profiles:\n  p:\n    webhooks:\n      endpoints:\n        - url: ${url}\n          auth: ${auth}\n`,
    'h.ndjson': lines(300),
  });
}

const oauth2 = (tokenUrl: string): string =>
  `{ oauth2: { tokenUrl: "${tokenUrl}", clientId: app, clientSecret: "\${CLIENT_SECRET}", scope: "a b" } }`;
const env = { CLIENT_SECRET: 'hunter2' };

describe('auth of a profile', () => {
  it('gives an import a token, which is fetched once', async () => {
    const tokens = await startTokenServer();
    const api = await startApi((token) => token === 'token-1');
    const cwd = folder(api.url, oauth2(tokens.url));
    const args = ['import', 'h.ndjson', '--profile', 'p', '--threads', '4', '--json'];
    const { code, stdout, stderr } = await cli(args, { cwd, env });
    expect(code, stderr).toBe(0);
    expect(api.requests).toHaveLength(300);
    expect(tokens.requests).toHaveLength(1);
    expect(new URLSearchParams(tokens.requests[0]!.form).get('scope')).toBe('a b');
    expect(stdout + stderr).not.toMatch(/hunter2|token-\d/);
    await api.close();
  });

  it.each(['send', 'import', 'replay'])(
    'ends %s with 2 where the credentials are refused',
    async (command) => {
      const tokens = await startTokenServer(() => ({
        status: 401,
        body: { error: 'invalid_client' },
      }));
      const api = await startApi(() => true);
      const cwd = folder(api.url, oauth2(tokens.url));
      const args = { send: ['--fixture', 'track'], import: ['h.ndjson'], replay: ['got.ndjson'] };
      const recorded = JSON.stringify({
        ...{ type: 'request', method: 'POST', path: '/hook', headers: { 'content-type': 'a/b' } },
        body: '{}',
      });
      const { writeFileSync } = await import('node:fs');
      writeFileSync(`${cwd}/got.ndjson`, `${recorded}\n`);
      const own = args[command as keyof typeof args];
      const { code, stderr } = await cli([command, ...own, '--profile', 'p'], { cwd, env });
      expect(stderr).toContain(
        `the token endpoint ${tokens.url} refuses clientId or clientSecret (invalid_client); check them`,
      );
      expect(code).toBe(2);
      expect(stderr).not.toContain('hunter2');
      expect(api.requests).toHaveLength(0);
      await api.close();
    },
  );

  it('replay sends the token', async () => {
    const tokens = await startTokenServer();
    const api = await startApi(() => true);
    const cwd = folder(api.url, oauth2(tokens.url));
    const { writeFileSync } = await import('node:fs');
    const recorded = { type: 'request', method: 'POST', path: '/hook', headers: {}, body: '{}' };
    writeFileSync(`${cwd}/got.ndjson`, `${JSON.stringify(recorded)}\n`);
    const { code, stderr } = await cli(['replay', 'got.ndjson', '--profile', 'p'], { cwd, env });
    expect(code, stderr).toBe(0);
    expect(api.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1']);
    await api.close();
  });

  it('send says which side has failed, and exits 5', async () => {
    const tokens = await startTokenServer(() => ({ status: 500, body: '<html>' }));
    const api = await startApi(() => true);
    const cwd = folder(api.url, oauth2(tokens.url));
    const args = ['send', '--fixture', 'track', '--profile', 'p', '--json'];
    const { code, stdout } = await cli(args, { cwd, env });
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({
      code: 'oauth2',
      message: `${api.url}: the token endpoint ${tokens.url} returned HTTP 500 (1 attempt)`,
    });
    await api.close();
  });

  it.each([
    ['{ bearer: "${CLIENT_SECRET}" }', '-H "Authorization: Bearer $TOKEN"'],
    [oauth2('http://127.0.0.1:9/'), '-H "Authorization: Bearer $ACCESS_TOKEN"'],
    [
      '{ basic: { user: me, password: "${CLIENT_SECRET}" } }',
      '-H "Authorization: Basic $CREDENTIALS"',
    ],
  ])('is a variable in --curl: %s', async (auth, shown) => {
    const cwd = folder('http://127.0.0.1:9/hook', auth);
    for (const kind of [
      ['--fixture', 'track'],
      ['--raw', 'h.ndjson'],
    ]) {
      const args = ['send', ...kind, '--profile', 'p'];
      const { code, stdout } = await cli([...args, '--curl'], { cwd, env });
      expect([code, stdout]).toEqual([0, expect.stringContaining(shown)]);
      const dry = await cli([...args, '--dry-run'], { cwd, env });
      expect(dry.stdout).toContain('Authorization: ***');
      expect(stdout + dry.stdout).not.toContain('hunter2');
    }
  });

  it('goes along with the requests of check', async () => {
    const tokens = await startTokenServer();
    const api = await startApi((token) => token === 'token-1');
    const cwd = folder(api.url, oauth2(tokens.url));
    const { stdout, stderr } = await cli(['check', '--profile', 'p', '--only', 'accept.*'], {
      cwd,
      env,
    });
    expect(api.requests.length).toBeGreaterThan(0);
    expect(new Set(api.requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set(['Bearer token-1']),
    );
    expect(stdout + stderr).not.toMatch(/token-1|hunter2/);
    await api.close();
  });

  it.each(['send', 'replay'])('gives the requests of %s of captures a token', async (command) => {
    const tokens = await startTokenServer();
    const api = await startApi((token) => token === 'token-1');
    const cwd = folder(api.url, oauth2(tokens.url));
    const { writeFileSync } = await import('node:fs');
    const request = { method: 'POST', path: '/hook', headers: { authorization: 'Bearer old' } };
    const recorded = { type: 'request', ...request, body: '{}' };
    writeFileSync(`${cwd}/got.ndjson`, `${JSON.stringify(recorded)}\n`);
    const own = command === 'send' ? ['--raw', 'got.ndjson'] : ['got.ndjson'];
    const { code, stderr } = await cli([command, ...own, '--profile', 'p'], { cwd, env });
    expect(code, stderr).toBe(0);
    expect(api.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1']);
    await api.close();
  });

  it('sends a token in place of a recorded one', async () => {
    const receiver = await startReceiver();
    const cwd = folder(receiver.url, '{ bearer: new }');
    const { writeFileSync } = await import('node:fs');
    const recorded = {
      type: 'request',
      method: 'POST',
      path: '/hook',
      headers: { authorization: 'Bearer old' },
      body: '{}',
    };
    writeFileSync(`${cwd}/got.ndjson`, `${JSON.stringify(recorded)}\n`);
    const { code, stderr } = await cli(['replay', 'got.ndjson', '--profile', 'p'], { cwd });
    expect(code, stderr).toBe(0);
    expect(receiver.requests[0]!.headers.authorization).toBe('Bearer new');
    await receiver.close();
  });

  it.each([
    [
      '{}',
      'evfwd.config.yaml:6: profiles.p.webhooks.endpoints[0].auth must have one of bearer, basic and oauth2',
    ],
    [
      '{ oauth2: { tokenUrl: "https://h/" } }',
      'evfwd.config.yaml:6: profiles.p.webhooks.endpoints[0].auth.oauth2.clientId is missing',
    ],
    [
      '{ token: a }',
      'evfwd.config.yaml:6: profiles.p.webhooks.endpoints[0].auth.token is not a known key',
    ],
  ])('is refused with its place: %s', async (auth, message) => {
    const cwd = folder('http://127.0.0.1:9/hook', auth);
    const { code, stderr } = await cli(['send', '--fixture', 'track', '--profile', 'p'], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
