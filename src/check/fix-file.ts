import { readFileSync } from 'node:fs';

/** Both `src/check/` and `dist/cli/` lie two levels below the package's root. */
const folder = new URL('../../fixes/', import.meta.url);

/** The text of a file of `fixes/`. */
export function readFixFile(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8');
}
