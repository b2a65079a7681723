import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';
import { startReceiver, type Receiver } from '../../helpers/receiver.js';
import { captureFile } from '../../replay/captures.js';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver(() => ({}));
});
afterEach(async () => {
  vi.useRealTimers();
  await receiver.close();
});

const event = '{"type":"track","userId":"u1","event":"E","timestamp":"2026-10-01T12:00:00Z"}\n';

/** The arguments of a command with a file of its own. */
function args(command: string, content = event): string[] {
  const folder = folderWith({ content });
  const [name = '', ...flags] = command.split(' ');
  const state = ['--state-dir', join(folder, 'state')];
  const own = flags.includes('--candidate') ? [] : state;
  return [name, join(folder, 'content'), ...flags, '--url', receiver.url, ...own];
}

describe('--since later than --until', () => {
  it.each([
    ['import', '2026-10-02', '2026-10-01'],
    ['import', '1h', '2h'],
    ['import --plan', '1h', '2026-10-01'],
    ['import --fresh', '2026-10-01T08:00:01Z', '2026-10-01T08:00:00Z'],
    ['import --store postgres://127.0.0.1:1/db', '1h', '2h'],
    ['import --fresh --store postgres://127.0.0.1:1/db', '1h', '2026-10-01'],
    ['replay', '2026-10-02', '2026-10-01'],
    ['replay --candidate http://127.0.0.1:9', '1h', '2h'],
  ])('is refused by %s before anything is sent', async (command, since, until) => {
    const content = command.startsWith('replay') ? captureFile({}) : event;
    const period = ['--since', since, '--until', until];
    const { code, stdout, stderr } = await inProcess([...args(command, content), ...period]);
    expect(stderr).toMatch(
      /^evfwd: --since, --until: since \(\S+Z\) is later than until \(\S+Z\), so nothing is between them; swap them\n$/,
    );
    expect([code, stdout, receiver.requests]).toEqual([2, '', []]);
  });

  it('is refused of what is read from a pipe', async () => {
    const period = ['--since', '2026-10-02', '--until', '2026-10-01'];
    const target = ['import', '-', '--url', receiver.url];
    const { code, stderr } = await inProcess([...target, ...period], { stdin: event });
    expect(stderr).toContain('evfwd: --since, --until: since (2026-10-02T00:00:00.000Z)');
    expect([code, receiver.requests]).toEqual([2, []]);
  });

  it('is not refused for a run that began while it was not empty', async () => {
    vi.useFakeTimers({ now: Date.parse('2026-10-01T12:30:00Z'), toFake: ['Date'] });
    const period = ['--since', '1h', '--until', '2026-10-01T13:00:00Z'];
    const command = [...args('import', event.repeat(2)), ...period];
    expect((await inProcess([...command, '--limit', '1'])).code).toBe(0);
    vi.setSystemTime(Date.parse('2026-10-02T12:30:00Z'));
    expect((await inProcess(command)).code).toBe(0);
    expect(receiver.requests).toHaveLength(2);
    expect((await inProcess([...command, '--fresh'])).code).toBe(2);
    expect(receiver.requests).toHaveLength(2);
  });
});

describe('--since that is --until', () => {
  it.each([
    ['import', '2026-10-01'],
    ['import --plan', '1h'],
    ['import --fresh', '2026-10-01T08:00:00Z'],
    ['replay', '2026-10-01'],
    ['replay --candidate http://127.0.0.1:9', '1h'],
    ['export', '2026-10-01'],
  ])('is refused by %s, which says that the end is exclusive', async (command, time) => {
    // Each look at the clock is later than the one before.
    let now = Date.parse('2026-10-02T12:30:00Z');
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now++);
    const content = command.startsWith('replay') ? captureFile({}) : event;
    const period = ['--since', time, '--until', time];
    const given = command === 'export' ? ['export'] : args(command, content);
    const { code, stdout, stderr } = await inProcess([...given, ...period]);
    clock.mockRestore();
    expect(stderr).toMatch(
      /^evfwd: --since, --until: until is exclusive and the same as since \(\S+Z\), so nothing is between them; use a later until: for a whole day, the next day\n$/,
    );
    expect([code, stdout, receiver.requests]).toEqual([2, '', []]);
  });
});
