import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, 'node_modules/.cache');
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'evfwd-examples-'));
afterAll(() => rmSync(folder, { recursive: true }));

mkdirSync(join(folder, 'node_modules'));
symlinkSync(root, join(folder, 'node_modules/evfwd'), 'dir');
writeFileSync(join(folder, 'vitest.config.mjs'), 'export default {};\n');

/** The first example of the page with this text, as a file. */
function example(text: string, name: string): string {
  const page = readFileSync(join(root, 'docs/library.md'), 'utf8');
  const blocks = [...page.matchAll(/^```[jt]s\n(.*?)^```$/gms)].map(([, code]) => code!);
  const path = join(folder, name);
  writeFileSync(
    path,
    blocks.find((code) => code.includes(text))!,
  );
  return path;
}

async function node(...args: string[]): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const options = { cwd: folder, env: { PATH, HOME, NO_COLOR: '1' } };
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  return stdout;
}

describe('the examples that are tests pass', () => {
  it('createReceiver with vitest', async () => {
    example(`from 'vitest'`, 'order.test.mjs');
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    expect(await node(vitest, 'run', 'order', '--root', folder)).toMatch(/Tests {2}1 passed/);
  });

  it('check with vitest', async () => {
    example('import { check, verify }', 'handler.test.ts');
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const output = await node(vitest, 'run', 'handler', '--root', folder);
    expect(output).toMatch(/Tests {2}1 passed/);
  });
});
