import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'licenses');

/**
 * Adds the text of the license below each heading of a package that brings no license file: that of
 * `scripts/licenses/<name>.txt`.
 */
export function completeNotices(file) {
  const text = readFileSync(file, 'utf8');
  const bare = /^(## (\S+) - .*)\n(?=\n*(?:## |$(?![^])))/gm;
  writeFileSync(
    file,
    text.replace(bare, (_, heading, name) => `${heading}\n\n${licenseOf(name)}`),
  );
}

function licenseOf(name) {
  const path = join(folder, `${name}.txt`);
  if (existsSync(path)) return readFileSync(path, 'utf8');
  throw new Error(`${name} has no license file: write its license to scripts/licenses/${name}.txt`);
}
