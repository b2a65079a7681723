import { readFileSync } from 'node:fs';
import prettier from 'prettier';
import { expect, it } from 'vitest';
import { allChecks } from '../../src/check/groups/index.js';
import { senderOf } from '../../src/check/senders/index.js';
import { reference } from '../../src/check/reference.js';
import { presets } from '../../src/sign/schemes/index.js';

const page = readFileSync(new URL('../../docs/checks.md', import.meta.url), 'utf8');
const parts = reference();

it.each(Object.entries(parts))(
  'has its %s in docs/checks.md: run `node scripts/check-reference.js` after a change',
  async (name, part) => {
    const [, inPage] = new RegExp(`<!-- ${name} -->\\n([^]*)\\n<!-- /${name} -->`).exec(page)!;
    const formatted = await prettier.format(part, {
      ...{ parser: 'markdown', singleQuote: true, printWidth: 100 },
    });
    expect(inPage!.trim()).toBe(formatted.trim());
  },
);

it('has a row for each check, and a mention of each scheme and kind of event', () => {
  for (const { id } of allChecks(senderOf(undefined))) expect(parts.checks).toContain(`\`${id}\``);
  for (const scheme of presets.values()) {
    expect(parts.senders).toContain(`\`${scheme.name}\``);
    for (const { name } of senderOf(scheme).kinds) expect(parts.senders).toContain(`\`${name}\``);
  }
});
