import { describe, expect, it } from 'vitest';
import { CompactLastLines } from '../../src/ledger/last-lines.js';
import type { LastLine } from '../../src/ledger/last-line.js';
import { ImportStore, noCounts } from '../../src/ledger/store.js';

const some = new Map<number, LastLine>([
  [0, { line: 1, offset: 0, length: 0, hash: '00ff00000000000a' }],
  [7, { line: 2 ** 40, offset: 2 ** 45, length: 2 ** 41 }],
  [2_345, { line: 3, offset: 10, length: 20, hash: 'ffffffffffffffff' }],
]);

describe('the last lines of very many files', () => {
  it('are the same as in a map', () => {
    const lines = new CompactLastLines();
    for (const [file, last] of some) lines.set(file, last);
    expect(new Map(lines)).toEqual(some);
    expect([lines.size, lines.get(7), lines.get(1), lines.get(99_999)]).toEqual([
      3,
      some.get(7),
      undefined,
      undefined,
    ]);
  });

  it('replace earlier ones of the same file', () => {
    const lines = new CompactLastLines();
    lines.set(3, { line: 1, offset: 0, length: 5, hash: '0123456789abcdef' });
    lines.set(3, { line: 2, offset: 6, length: 7 });
    expect([...lines]).toEqual([[3, { line: 2, offset: 6, length: 7 }]]);
  });

  it('are read from the state page by page, none left out', async () => {
    const store = await ImportStore.open(':memory:');
    expect([store.hasBegun(), store.lastLine()]).toEqual([false, undefined]);
    const last = new Map(
      Array.from({ length: 2_500 }, (_, i): [number, LastLine] => [
        2 * i,
        { line: i + 1, offset: i, length: 1, hash: i.toString(16).padStart(16, '0') },
      ]),
    );
    store.commit({
      ...{ checkpoint: { last, open: [] }, counts: noCounts, isFinished: false },
      ...{ putRetries: [], deleteRetries: [], addDeadLetters: [] },
    });
    expect(new Map(store.checkpoint().last)).toEqual(last);
    expect(store.hasBegun()).toBe(true);
    expect(store.lastLine()).toEqual({ file: 4_998, last: last.get(4_998) });
    store.close();
  });
});
