import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AttemptResult } from '../../src/deliver/outcome.js';
import { AttemptLog } from '../../src/ledger/attempt-log.js';
import { folderWith } from '../helpers/folder.js';

const result: AttemptResult = {
  url: 'https://example.com/hook',
  attempt: 2,
  at: Date.parse('2026-11-20T08:30:00.000Z'),
  durationMs: 1.23456,
  status: null,
  error: 'timeout',
  verdict: 'retry',
  retryAfterMs: 5,
};

describe('the log of attempts', () => {
  it('has one flat line an attempt, for its owner alone, in place of an older log', async () => {
    const path = join(folderWith({ 'log.ndjson': 'old\nold\n' }), 'new', 'log.ndjson');
    const log = new AttemptLog(path);
    log.write(result, 'm\n1');
    log.write({ ...result, status: 200, error: null, verdict: 'delivered' }, 'm2');
    await log.close();
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        type: 'attempt',
        at: '2026-11-20T08:30:00.000Z',
        messageId: 'm\n1',
        url: 'https://example.com/hook',
        attempt: 2,
        status: null,
        error: 'timeout',
        verdict: 'retry',
        durationMs: 1.235,
      },
      expect.objectContaining({ messageId: 'm2', status: 200, error: null, verdict: 'delivered' }),
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('begins anew where there is one', async () => {
    const path = join(folderWith({ 'log.ndjson': 'old\n' }), 'log.ndjson');
    await new AttemptLog(path).close();
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it.each(['file/log', '.'])('that cannot be made is a usage error, at once: %s', (name) => {
    const folder = folderWith({ file: '' });
    const make = () => new AttemptLog(`${folder}/${name}`);
    expect(make).toThrow(/^--log \S+: cannot be written \(E\w+\); choose another place$/);
    expect(make).toThrow(expect.objectContaining({ exitCode: 2, code: 'log_not_written' }));
  });

  it.skipIf(!existsSync('/dev/full'))('that finds the disk full says so at the end', async () => {
    const log = new AttemptLog('/dev/full');
    for (let i = 0; i < 1000; i++) log.write(result, `m${i}`);
    await expect(log.close()).rejects.toThrow('--log /dev/full: cannot be written (ENOSPC)');
    await expect(log.close()).rejects.toMatchObject({ exitCode: 6 });
  });
});
