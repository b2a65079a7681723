import { expect, it } from 'vitest';
import { seenKey, seenKeyBytes } from '../../../src/serve/store/seen-key.js';

it('differs for ids that differ', () => {
  const ids = ['', 'a', 'A', 'a\0', 'á', 'a\u0301', '1', '😀'];
  const broken = ['\ud800', '\ud801', '\udc00', '\ud800\ud800', '"\\ud800"', '\\ud800', '\ufffd'];
  const keys = [...ids, ...broken].map((id) => seenKey(1, 2, id));
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.every((key) => key.length === seenKeyBytes)).toBe(true);
});

it('differs by source and destination, and is the same for the same', () => {
  for (const id of ['a', '\ud800']) {
    const all = [seenKey(1, 2, id), seenKey(11, 2, id), seenKey(1, 12, id), seenKey(11, 12, id)];
    expect(new Set(all).size).toBe(4);
    expect(seenKey(1, 2, id)).toBe(seenKey(1, 2, id));
  }
});
