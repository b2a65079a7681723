import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { partsOf, Terminal } from './page.js';

it.each<[page: string, examples: number]>([
  ['fixtures', 4],
  ['completion', 0],
  ['serve-alerts', 2],
  ['batches', 2],
  ['serve-order', 1],
  ['replay-candidate', 2],
  ['relay', 7],
  ['serve-kept', 1],
  ['export', 2],
])('docs/%s.md does what it says, pasted from top to bottom', async (page, count) => {
  const text = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8');
  const parts = partsOf(text);
  expect(parts.filter(({ kind }) => kind === 'example')).toHaveLength(count);
  const terminal = await Terminal.open({ ports: [4400, 4410, 4500, 3000, 3001] });
  await terminal.follow(parts);
});
