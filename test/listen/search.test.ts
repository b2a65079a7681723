import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { RequestStore } from '../../src/listen/request-store.js';
import { Searches } from '../../src/listen/search.js';
import { received } from './listening.js';

function storeOf(...requests: Parameters<typeof received>[0][]): RequestStore {
  const store = new RequestStore();
  for (const [i, given] of requests.entries()) store.add(received({ ...given, sequence: i + 1 }));
  return store;
}

const never = new AbortController().signal;

describe('a search', () => {
  const store = storeOf(
    { text: '{"type":"track","event":"Order","userId":"u1","properties":{"plan":"PRO"}}' },
    { text: 'x', headers: ['X-Team', 'Growth'] },
    { body: gzipSync('{"plan":"pro"}') },
    { text: 'caf\u00c9' },
    { path: '/Special?a=1', text: '' },
    { text: '{"type":"track","userId":"u1","event":"\\u00fcber"}' },
    { body: Buffer.from([0xff, 0x41, 0x42, 0x43]) },
  );

  it.each([
    ['a body, in any case', 'plan":"pro', [1, 3]],
    ['a header', 'x-team: growth', [2]],
    ['a body beyond ASCII', 'CAF\u00e9', [4]],
    ['a path with its query', '/special?a', [5]],
    ['an event whose text is escaped', '\u00fcber', [6]],
    ['a binary body', 'abc', [7]],
    ['nothing', 'nowhere', []],
  ])('finds %s', async (_, text, sequences) => {
    expect(await new Searches(store).find(text, 0, never)).toEqual({ sequences, last: 7 });
  });

  it('goes on after a request', async () => {
    const searches = new Searches(store);
    expect(await searches.find('plan', 1, never)).toEqual({ sequences: [3], last: 7 });
    expect(await searches.find('plan', 7, never)).toEqual({ sequences: [], last: 7 });
  });

  it('lets other work go on', async () => {
    const long = storeOf(...Array.from({ length: 400 }, () => ({ text: 'x'.repeat(100_000) })));
    let turns = 0;
    const count = (): void => void (turns++, (pending = setImmediate(count)));
    let pending = setImmediate(count);
    await new Searches(long).find('nowhere', 0, never);
    clearImmediate(pending);
    expect(turns).toBeGreaterThan(0);
  });

  it('ends when its caller has gone', async () => {
    const gone = AbortSignal.abort();
    expect((await new Searches(store).find('u1', 0, gone)).sequences).toEqual([]);
  });
});
