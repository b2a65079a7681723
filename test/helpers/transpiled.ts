import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';
import { folderWith } from './folder.js';

const source = fileURLToPath(new URL('../../src/', import.meta.url));

/**
 * Modules of `src/` that plain Node can import, for processes that a test starts; returns the URL of the
 * first. All that they import has to be among them.
 */
export function transpiled(...modules: readonly string[]): string {
  const folder = folderWith({ 'package.json': '{"type":"module"}' });
  symlinkSync(
    fileURLToPath(new URL('../../node_modules', import.meta.url)),
    join(folder, 'node_modules'),
  );
  for (const module of modules) {
    const text = readFileSync(join(source, `${module}.ts`), 'utf8');
    const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
    const file = join(folder, `${module}.js`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, ts.transpileModule(text, { compilerOptions }).outputText);
  }
  return pathToFileURL(join(folder, `${modules[0]!}.js`)).href;
}
