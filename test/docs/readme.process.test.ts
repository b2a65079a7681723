import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { partsOf, Terminal } from './page.js';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

it('the README does what it says, pasted from top to bottom', async () => {
  // The test has what a clone with its packages has.
  const parts = partsOf(readme).filter(
    (part) => part.kind !== 'commands' || !part.text.startsWith('git clone'),
  );
  const kinds = parts.map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'example').length).toBeGreaterThan(8);
  expect(kinds.filter((kind) => kind === 'file')).toHaveLength(2);
  const terminal = await Terminal.open({
    ports: [3000, 3001, 4400, 4500],
    // Where the handlers listen, by default 3000.
    env: { PORT: '3000' },
  });
  await terminal.follow(parts);
});
