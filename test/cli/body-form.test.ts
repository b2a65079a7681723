import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { CliResult } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { inProcess } from '../helpers/in-process.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';

const receivers: Receiver[] = [];

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

async function listening(statuses: readonly number[] = []): Promise<Receiver> {
  const receiver = await startReceiver((_request, index) => ({ status: statuses[index] ?? 200 }));
  receivers.push(receiver);
  return receiver;
}

const bodies = ({ requests }: Receiver): string[] => requests.map(({ body }) => body.toString());

describe('import --body original', () => {
  async function imported(
    content: string | Buffer,
    { url }: Receiver,
    ...flags: string[]
  ): Promise<CliResult> {
    const cwd = folderWith({ 'events.ndjson': content, 'secret.txt': 'shh' });
    const target = ['--url', url, '--secret-file', `${cwd}/secret.txt`, '--body', 'original'];
    const state = ['--state-dir', `${cwd}/state`, '--ordered'];
    return inProcess(['import', `${cwd}/events.ndjson`, ...target, ...state, ...flags]);
  }

  const page = '{ "userId":"u", "type":"page" ,"x":1.0}';
  const escaped = JSON.stringify(page);

  it.each([
    ['a line with space and CRLF around it', `  ${page} \r\n`],
    ['the first line after a byte order mark', `\ufeff${page}\n`],
    ['a last line without a newline', page],
    ['a dead letter', `{"type":"dead-letter","messageId":"given","event": ${page} }\n`],
    ['a capture', `{"type":"request","headers":{},"body":${escaped}}\n`],
  ])('posts the event alone, and signs its bytes: %s', async (_title, line) => {
    const receiver = await listening();
    expect((await imported(line, receiver)).code).toBe(0);
    expect(bodies(receiver)).toEqual([page]);
    const signature = createHmac('sha1', 'shh').update(page).digest('hex');
    expect(receiver.requests[0]!.headers['x-signature']).toBe(signature);
  });

  it('saves an event that failed as it was, so that it can be posted again', async () => {
    const failing = await listening([400]);
    const cwd = folderWith();
    const deadLetter = `${cwd}/letters.ndjson`;
    expect((await imported(page, failing, '--dead-letter', deadLetter)).code).toBe(3);
    const fixed = await listening();
    const flags = ['--url', fixed.url, '--body', 'original', '--state-dir', `${cwd}/state`];
    expect((await inProcess(['import', deadLetter, ...flags])).code).toBe(0);
    expect(bodies(fixed)).toEqual([page]);
  });

  it('is another import than the one of webhook bodies', async () => {
    const receiver = await listening();
    const cwd = folderWith({ 'events.ndjson': page });
    const run = (...flags: string[]) => {
      const state = ['--state-dir', `${cwd}/state`];
      return inProcess([
        'import',
        `${cwd}/events.ndjson`,
        '--url',
        receiver.url,
        ...state,
        ...flags,
      ]);
    };
    for (const form of ['webhook', 'original', 'original']) await run('--body', form);
    await run();
    expect(bodies(receiver)).toEqual([expect.stringContaining('"version":1'), page]);
  });

  it.each(['new', 'derive'])('refuses --ids %s, which would change the body', async (ids) => {
    const receiver = await listening();
    const result = await imported(page, receiver, '--ids', ids);
    expect(result).toMatchObject({ code: 2 });
    expect(result.stderr).toContain(`--ids ${ids} changes the messageId`);
    expect(receiver.requests).toEqual([]);
  });
});

describe('--body', () => {
  const send = ['send', 'track', '--user-id', 'u', '--event', 'E', '-P', 'a:=1.0'];
  const built = '{"type":"track","userId":"u","event":"E","properties":{"a":1.0}}';

  it('original posts the JSON that send has built', async () => {
    const receiver = await listening();
    await inProcess([...send, '--url', receiver.url, '--body', 'original']);
    expect(bodies(receiver)).toEqual([built]);
  });

  it('original is what --dry-run and --curl show', async () => {
    const flags = ['--url', 'http://localhost:1/', '--body', 'original'];
    const dry = await inProcess([...send, ...flags, '--dry-run', '--json']);
    expect(JSON.parse(dry.stdout)).toMatchObject({ body: built });
    const curl = await inProcess([...send, ...flags, '--curl']);
    expect(curl.stdout).toContain(`--data-binary '${built}'`);
  });

  it('can be set in a profile, and a flag beats it', async () => {
    const receiver = await listening();
    const webhooks = { body: 'original', endpoints: [{ url: receiver.url }] };
    const config = JSON.stringify({ profiles: { own: { webhooks } } });
    const cwd = folderWith({ 'evfwd.config.json': config });
    await inProcess([...send, '-p', 'own'], { cwd });
    await inProcess([...send, '-p', 'own', '--body', 'webhook'], { cwd });
    expect(bodies(receiver)).toEqual([built, expect.stringContaining('{"version":1,')]);
  });

  it.each([
    ['another form', ['--url', 'http://localhost:1/', '--body', 'raw'], /--body: "raw" must be/],
    ['a collector', ['--write-key', 'k', '--body', 'original'], /--body is for webhooks/],
    ['a collector, even by default', ['--write-key', 'k', '--body', 'webhook'], /--body is for/],
  ])('is a usage error with %s', async (_title, flags, message) => {
    const result = await inProcess([...send, ...flags]);
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(message);
  });

  it('original posts the identify that audience has built', async () => {
    const receiver = await listening();
    const cwd = folderWith({ 'members.csv': 'userId\nu1\n' });
    const list = ['--name', 'Big', '--members', `${cwd}/members.csv`, '--state-dir', cwd];
    const flags = ['--url', receiver.url, '--body', 'original'];
    expect((await inProcess(['audience', 'sync', ...list, ...flags])).code).toBe(0);
    expect(bodies(receiver)).toEqual([
      expect.stringMatching(/^\{"type":"identify","messageId":.*"traits":\{"big":true\}\}$/),
    ]);
  });
});
