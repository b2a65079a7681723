import { expect, it } from 'vitest';
import { cli } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { inProcess } from '../helpers/in-process.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { receiving, running } from './serve-process.js';

const configurationOf = ({ url }: Receiver): string => `sources:
  web: { writeKey: \${WEB_KEY}, destinations: [crm] }
  hooks: { type: raw, path: /in/hooks, destinations: [app] }
destinations:
  crm: { allowPrivateNetworks: true, endpoints: [{ url: '${new URL('/crm', url).href}' }] }
  app: { allowPrivateNetworks: true, endpoints: [{ url: '${new URL('/app', url).href}' }] }
`;

const sent = [
  {
    type: 'track',
    userId: 'u1',
    event: 'Ä "b"',
    messageId: 'm0',
    properties: { n: 1.5, é: '\u2028' },
  },
  { type: 'identify', userId: 4711, traits: { email: 'a@example.com' } },
  { type: 'page', anonymousId: 'a', name: 'Home', timestamp: '2026-11-20T08:00:00.000Z' },
];

const bodiesAt = ({ requests }: Receiver, path: string): string[] =>
  requests
    .filter((request) => request.path === path)
    .map(({ body }) => body.toString('latin1'))
    .sort();

it('what serve keeps is exported beside it, and imported and replayed byte for byte', async () => {
  const receiver = await receiving();
  const cwd = folderWith({ 'evfwd.config.yaml': configurationOf(receiver) });
  const service = await running(cwd);
  for (const event of sent) {
    const body = JSON.stringify({ batch: [event], writeKey: 'hush-key' });
    await fetch(`${service.url}/v1/batch`, { method: 'POST', body });
  }
  const bytes = Buffer.from([0, 255, 10, 13, 123]);
  await fetch(`${service.url}/in/hooks`, { method: 'POST', body: bytes });
  await receiver.atLeast(4);

  const both = await cli(['export'], { cwd });
  expect(both.stderr).toBe(
    'exported 3 events and 1 request; import reads the events and replay the requests, see --only\n',
  );
  expect(both.stdout.trimEnd().split('\n')).toHaveLength(4);
  const events = await cli(['export', '--only', 'events', '-q'], { cwd });
  expect([events.code, events.stderr]).toEqual([0, '']);
  const requests = await cli(['export', '--only', 'requests'], { cwd });
  expect((await cli(['validate', '-'], { cwd, stdin: events.stdout })).code).toBe(0);

  const again = await startReceiver(() => ({}));
  try {
    const importing = ['import', '-', '--url', new URL('/crm', again.url).href, '--json'];
    expect((await cli(importing, { cwd, stdin: events.stdout })).code).toBe(0);
    const replaying = ['replay', '-', '--url', new URL('/app', again.url).href];
    expect((await cli(replaying, { cwd, stdin: requests.stdout })).code).toBe(0);
    for (const path of ['/crm', '/app'])
      expect(bodiesAt(again, path)).toEqual(bodiesAt(receiver, path));
    expect(bodiesAt(again, '/app')).toEqual([bytes.toString('latin1')]);
    expect(bodiesAt(again, '/crm')).toHaveLength(3);
  } finally {
    await again.close();
  }
  await service.stop('SIGTERM');
  // A stopped service has written all of it, too.
  expect((await cli(['export', '-q'], { cwd })).stdout).toBe(both.stdout);
});

it('selects by arrival, type, condition and source', async () => {
  const receiver = await receiving();
  const cwd = folderWith({ 'evfwd.config.yaml': configurationOf(receiver) });
  const { url } = await running(cwd);
  const body = JSON.stringify({ batch: sent, writeKey: 'hush-key' });
  await fetch(`${url}/v1/batch`, { method: 'POST', body });
  await fetch(`${url}/in/hooks`, { method: 'POST', body: '{"kind":"a"}' });
  await receiver.atLeast(4);
  const count = async (...args: string[]): Promise<number> =>
    (await cli(['export', '-q', ...args], { cwd })).stdout.split('\n').length - 1;
  expect(await count('--types', 'track,page')).toBe(2);
  expect(await count('--where', 'properties.n>=1')).toBe(1);
  expect(await count('--where', 'body.kind=a')).toBe(1);
  expect(await count('--users', '4711')).toBe(1);
  expect(await count('--sources', 'hooks')).toBe(1);
  expect(await count('--since', '1h')).toBe(4);
  const typo = await cli(['export', '--sources', 'hoks,hooks', '--sources', 'shop'], { cwd });
  expect([typo.code, typo.stderr]).toEqual([
    0,
    'note: nothing of source hoks is kept; did you mean hooks? (one of hooks, web)\n' +
      'note: nothing of source shop is kept; use one of hooks, web\n' +
      'exported 1 request\n',
  ]);
  const before = await cli(['export', '--sources', 'web', '--until', '1h'], { cwd });
  expect(before.stderr).toBe(
    'note: nothing of source web is kept from this time\nexported 0 events\n',
  );
  expect(await count('--until', '1h')).toBe(0);
});

it('says in one line that there is nothing kept', async () => {
  const { code, stderr } = await cli(['export', '--state-dir', 'nowhere'], { cwd: folderWith() });
  expect(code).toBe(2);
  expect(stderr).toContain('--state-dir nowhere: no kept events found;');
});

it('a time since that is later than until is an error before anything is read', async () => {
  const args = ['export', '--since', '1h', '--until', '2h'];
  const { code, stdout, stderr } = await inProcess(args, { cwd: folderWith() });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(
    /^evfwd: --since, --until: since \(.*\) is later than until \(.*; swap them\n$/,
  );
});

it('a time since in the future is an error before anything is read', async () => {
  const { code, stdout, stderr } = await inProcess(['export', '--since', '9999-01-01'], {
    cwd: folderWith(),
  });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toBe(
    'evfwd: --since: since (9999-01-01T00:00:00.000Z) is in the future, so nothing is after it; use an earlier since\n',
  );
});
