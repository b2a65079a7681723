import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEachTest } from './after-each.js';

const folders: string[] = [];

/** A temporary folder with these files in it; removed after the test. */
export function folderWith(files: Record<string, string | Buffer> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'evfwd-test-'));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

afterEachTest(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
