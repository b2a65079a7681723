import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { names, ndjson, sync } from '../../cli/audience-lists.js';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';
import { startReceiver, type Receiver } from '../../helpers/receiver.js';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver(() => ({ status: 200 }));
});
afterEach(() => receiver.close());

function audience() {
  const folder = folderWith({ list: ndjson(names(3)) });
  const states = join(folder, 'state');
  const list = join(folder, 'list');
  const call = async (secret: string, ...args: string[]) => {
    const before = receiver.requests.length;
    const url = args.includes('--write-key') ? [] : ['--url', receiver.url];
    const result = await inProcess([...sync(list, '--state-dir', states), ...url, ...args], {
      env: url.length > 0 ? { EVFWD_SECRET: secret } : {},
    });
    return { ...result, sent: receiver.requests.length - before };
  };
  return { folder, list, states, call };
}

const notice = 'the shared secret or a header value has changed since the last run';

describe('an audience whose secret or header values are others than before', () => {
  it('goes on with the changes, and says that all else was sent with the others', async () => {
    const { list, call } = audience();
    const first = await call('hidden-old');
    expect([first.code, first.sent, first.stderr.includes(notice)]).toEqual([0, 3, false]);
    const same = await call('hidden-old');
    expect([same.code, same.sent, same.stderr.includes(notice)]).toEqual([0, 0, false]);
    writeFileSync(list, ndjson(names(5)));
    const other = await call('hidden-new', '-H', 'X-A: hidden-value');
    expect([other.code, other.sent, other.stderr.includes(notice)]).toEqual([0, 2, true]);
    expect(other.stderr).not.toContain('hidden');
    const again = await call('hidden-new', '-H', 'X-A: hidden-value');
    expect([again.code, again.sent, again.stderr.includes(notice)]).toEqual([0, 0, false]);
  });

  it('keeps no hash of a write key or a query that could be guessed fast', async () => {
    const { states, call } = audience();
    const endpoint = `${receiver.url}?q=1`;
    await call('', '--write-key', 'key', '--endpoint', endpoint);
    await call('', '--write-key', 'other', '--endpoint', endpoint);
    const bases = new Set(readdirSync(states).map((name) => name.replace(/\..*/, '')));
    expect(bases.size).toBe(2);
    const fast = createHash('sha256')
      .update(JSON.stringify(['sync', 'high_value_users', [endpoint, 'key']]))
      .digest('hex');
    for (const base of bases) expect(base).not.toContain(fast.slice(0, 12));
  });
});
