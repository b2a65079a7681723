import { readFileSync } from 'node:fs';
import prettier from 'prettier';
import { expect, it } from 'vitest';
import { allChecks } from '../../src/check/groups/index.js';
import { analytics } from '../../src/check/senders/analytics.js';
import { referenceOf } from '../../src/check/reference.js';

const page = readFileSync(new URL('../../docs/check.md', import.meta.url), 'utf8');

it('is in docs/check.md: run `node scripts/check-reference.js` after a change', async () => {
  const [, inPage] = /<!-- checks -->\n([^]*)\n<!-- \/checks -->/.exec(page)!;
  const formatted = await prettier.format(referenceOf(allChecks(analytics)), {
    ...{ parser: 'markdown', singleQuote: true, printWidth: 100 },
  });
  expect(inPage!.trim()).toBe(formatted.trim());
});

it('has a row for each check, and each text once', () => {
  const text = referenceOf(allChecks(analytics));
  for (const { id } of allChecks(analytics)) expect(text).toContain(`| \`${id}\` `);
});
