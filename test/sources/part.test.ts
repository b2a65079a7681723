import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findInputs } from '../../src/sources/find-inputs.js';
import { readPart } from '../../src/sources/part.js';
import { folderWith } from '../helpers/folder.js';

it('does not read a long line to its end for parts in the middle of it', async () => {
  const path = join(folderWith({ events: 'x'.repeat(3 * 1024 * 1024) }), 'events');
  const [input] = await findInputs([path]);
  let bytes = 0;
  const onRaw = (count: number): void => void (bytes += count);
  for await (const range of readPart(input!, { from: 100, to: 200 }, { onRaw })) {
    expect(range.lines).toBe(0);
  }
  expect(bytes).toBeLessThan(1024 * 1024);
});
