// Writes what docs/checks.md has of all senders and checks, between the marks of each part:
//   node scripts/check-reference.js
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import prettier from 'prettier';
import { runnerImport } from 'vite';

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const { module } = await runnerImport(path('src/check/reference.ts'), { logLevel: 'error' });

const page = path('docs/checks.md');
let text = await readFile(page, 'utf8');
for (const [name, part] of Object.entries(module.reference())) {
  const marks = new RegExp(`(<!-- ${name} -->\\n)[^]*(<!-- /${name} -->)`);
  if (!marks.test(text)) throw new Error(`docs/checks.md has no <!-- ${name} --> and its end`);
  text = text.replace(marks, (_, start, end) => `${start}\n${part}\n\n${end}`);
}
const options = { ...(await prettier.resolveConfig(page)), filepath: page };
await writeFile(page, await prettier.format(text, options));
