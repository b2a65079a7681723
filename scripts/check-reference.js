// Writes the reference of all checks into docs/check.md, between its two marks:
//   node scripts/check-reference.js
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import prettier from 'prettier';
import { runnerImport } from 'vite';

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const load = async (file) => (await runnerImport(path(file), { logLevel: 'error' })).module;

const { allChecks } = await load('src/check/groups/index.ts');
const { analytics } = await load('src/check/senders/analytics.ts');
const { referenceOf } = await load('src/check/reference.ts');

const page = path('docs/check.md');
const text = await readFile(page, 'utf8');
const marks = /(<!-- checks -->\n)[^]*(<!-- \/checks -->)/;
if (!marks.test(text)) throw new Error('docs/check.md has no <!-- checks --> and <!-- /checks -->');
const options = { ...(await prettier.resolveConfig(page)), filepath: page };
const filled = text.replace(
  marks,
  (_, start, end) => `${start}\n${referenceOf(allChecks(analytics))}\n\n${end}`,
);
await writeFile(page, await prettier.format(filled, options));
