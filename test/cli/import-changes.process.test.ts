import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { cli } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { inProcess } from '../helpers/in-process.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';

let receiver: Receiver;

afterEach(() => receiver.close());

function event(n: number, more = ''): string {
  return `{"type":"track","userId":"u${n}","event":"E","messageId":"m${n}","timestamp":"2026-01-01T00:00:00Z","properties":{"mail":"m${n}@example.com","total":1.50${more}}}\n`;
}

async function importing(cwd: string, args: readonly string[], run = inProcess) {
  const result = await run(['import', ...args, '--url', receiver.url, '--json'], { cwd });
  const summary = JSON.parse(result.stdout.trim().split('\n').at(-1)!) as Record<string, unknown>;
  return { ...result, summary };
}

const steps = ['--drop', 'properties.mail', '--set', 'context.app=shop'];

function deadLetters(cwd: string): string {
  const folder = join(cwd, '.evfwd');
  const name = readdirSync(folder).find((each) => each.endsWith('.dead-letter.ndjson'))!;
  return join(folder, name);
}

describe('an import that changes events', () => {
  it('sends them changed, in the order of the steps, and selects before it changes', async () => {
    receiver = await startReceiver();
    const cwd = folderWith({ 'e.ndjson': event(1) + event(2), key: 'k' });
    const hashing = ['--hash', 'userId', '--hash-key-file', 'key'];
    const more = ['--set', 'userId=x', '--where', 'userId=u2'];
    const { summary } = await importing(cwd, ['e.ndjson', ...hashing, ...steps, ...more]);
    expect(summary).toMatchObject({ delivered: 1, skipped: 1 });
    expect(receiver.json()).toMatchObject([
      { messageId: 'm2', userId: 'x', context: { app: 'shop' }, properties: { total: 1.5 } },
    ]);
    expect(receiver.requests[0]!.body.toString()).toContain('"total":1.50}');
    expect(receiver.requests[0]!.body.toString()).not.toContain('example.com');
  });

  it('accepts a record that is an event only after the steps', async () => {
    receiver = await startReceiver();
    const cwd = folderWith({ 'e.ndjson': event(1).replace('"type":"track",', '') });
    const { summary } = await importing(cwd, ['e.ndjson', '--set', 'type=track']);
    expect(summary).toMatchObject({ delivered: 1, rejected: 0 });
  });

  it.each([
    { flags: [], has: 'm1@example.com', lacks: 'shop' },
    { flags: ['--dead-letter-changed'], has: 'shop', lacks: 'm1@example.com' },
  ])('writes dead letters with $has ($flags), which can be imported again', async (row) => {
    receiver = await startReceiver(() => ({ status: 400 }));
    const cwd = folderWith({ 'e.ndjson': event(1) });
    const { summary } = await importing(cwd, ['e.ndjson', ...steps, ...row.flags]);
    expect(summary).toMatchObject({ failed: 1 });
    const text = readFileSync(deadLetters(cwd), 'utf8');
    expect(text).toContain(row.has);
    expect(text).not.toContain(row.lacks);
    await receiver.close();
    receiver = await startReceiver();
    const again = await importing(cwd, [deadLetters(cwd), ...steps]);
    expect(again.summary).toMatchObject({ delivered: 1 });
    expect(receiver.json()).toMatchObject([{ messageId: 'm1', context: { app: 'shop' } }]);
    expect(receiver.requests[0]!.body.toString()).not.toContain('example.com');
  });

  it('changes events alike in threads and when they are retried', async () => {
    receiver = await startReceiver((_, index) => ({ status: index < 60 ? 503 : 200 }));
    const count = 4_000;
    const more = `,"pad":"${'x'.repeat(2_200)}"`;
    const lines = Array.from({ length: count }, (_, n) => event(n, more)).join('');
    const cwd = folderWith({ 'e.ndjson': lines });
    const flags = [...steps, '--drop', 'properties.pad', '--threads', '2', '--where', 'userId!=u7'];
    const { summary } = await importing(cwd, ['e.ndjson', ...flags], cli);
    expect(summary).toMatchObject({ delivered: count - 1, skipped: 1, pending: 0 });
    expect(Number(summary.retries)).toBeGreaterThan(0);
    const bodies = new Set(receiver.requests.map(({ body }) => body.toString()));
    expect(bodies.size).toBe(count - 1);
    for (const body of bodies) expect(body).not.toMatch(/example\.com|xxx/);
  });

  it('is another import with other steps', async () => {
    receiver = await startReceiver();
    const cwd = folderWith({ 'e.ndjson': event(1) });
    await importing(cwd, ['e.ndjson', ...steps]);
    const same = await importing(cwd, ['e.ndjson', ...steps]);
    expect(same.summary).toMatchObject({ delivered: 0, skipped: 1 });
    const other = await importing(cwd, ['e.ndjson', ...steps, '--drop', 'x']);
    expect(other.summary).toMatchObject({ delivered: 1 });
  });

  it('sends again of a record with several events only those that failed, each under its own id', async () => {
    const names = ['one', 'BAD', 'BAD2'];
    const batch = names.map(
      (name) =>
        `{"type":"track","event":"${name}","userId":"u","originalTimestamp":"2026-01-01T00:00:00Z"}`,
    );
    const record = `{"uuid":"x","user_id":"u","event_payload":{"batch":[${batch.join(',')}]}}`;
    const cwd = folderWith({ 'g.ndjson': `${record}\n` });
    receiver = await startReceiver(({ body }) => ({ status: body.includes('BAD') ? 400 : 200 }));
    const first = await importing(cwd, ['g.ndjson', '--from', 'rudderstack']);
    expect(first.summary).toMatchObject({ delivered: 1, failed: 2 });
    const before = receiver.json().map(({ event, messageId }) => [event, messageId]);
    await receiver.close();
    receiver = await startReceiver();
    const again = await importing(cwd, [deadLetters(cwd), '--from', 'rudderstack']);
    expect(again.summary).toMatchObject({ delivered: 2 });
    const after = receiver.json().map(({ event, messageId }) => [event, messageId]);
    expect(after.sort()).toEqual(before.filter(([name]) => name !== 'one').sort());
    expect(new Set(after.map(([, id]) => id)).size).toBe(2);
  });

  it('sends all events of the record in which --limit is reached', async () => {
    receiver = await startReceiver();
    const part = (n: number) => event(n).trim().replace('"timestamp"', '"originalTimestamp"');
    const record = (n: number) =>
      `{"uuid":"x","user_id":"u","event_payload":{"batch":[${part(n)},${part(n + 1)}]}}\n`;
    const cwd = folderWith({ 'g.ndjson': record(1) + record(3) });
    const args = ['g.ndjson', '--from', 'rudderstack'];
    expect((await importing(cwd, [...args, '--limit', '1'])).summary).toMatchObject({
      delivered: 2,
    });
    expect((await importing(cwd, args)).summary).toMatchObject({ delivered: 2 });
    expect(receiver.json().map(({ messageId }) => messageId)).toEqual(['m1', 'm2', 'm3', 'm4']);
  });

  it.each([
    { flags: steps, repeats: true },
    { flags: [...steps, '--dead-letter-changed'], repeats: false },
    { flags: [...steps, '--transform', 'same.mjs'], repeats: false },
  ])('says how to send dead letters again: with the steps, $repeats ($flags)', async (row) => {
    receiver = await startReceiver(() => ({ status: 400 }));
    const same = 'export default (event) => event;';
    const cwd = folderWith({ 'e.ndjson': event(1), 'same.mjs': same });
    const { stderr } = await importing(cwd, ['e.ndjson', ...row.flags]);
    expect(/evfwd import \S+dead-letter\.ndjson.*--drop/.test(stderr)).toBe(row.repeats);
  });

  it.each([
    { flags: ['--hash', 'userId'], message: '--hash needs --hash-key-file' },
    { flags: ['--hash', 'userId', '--hash-key-file', 'empty'], message: 'is empty' },
    { flags: ['--hash', 'userId', '--hash-key-file', 'none'], message: 'cannot be read' },
    { flags: ['--set', 'a'], message: 'write key=text or key:=json' },
    { flags: ['--where', 'a>b'], message: 'compares numbers' },
  ])('$flags is refused before anything is sent', async ({ flags, message }) => {
    receiver = await startReceiver();
    const cwd = folderWith({ 'e.ndjson': event(1), empty: '' });
    const { code, stderr } = await inProcess(
      ['import', 'e.ndjson', ...flags, '--url', receiver.url],
      { cwd },
    );
    expect({ code, lines: stderr.trim().split('\n').length }).toEqual({ code: 2, lines: 1 });
    expect(stderr).toContain(message);
    expect(receiver.requests).toEqual([]);
  });
});
