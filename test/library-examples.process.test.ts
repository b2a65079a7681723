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

/** The example of the page that imports this module, as a file. */
function example(module: string, name: string): string {
  const page = readFileSync(join(root, 'docs/library.md'), 'utf8');
  const blocks = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code!);
  const path = join(folder, name);
  writeFileSync(
    path,
    blocks.find((code) => code.includes(`from '${module}'`))!,
  );
  return path;
}

async function node(...args: string[]): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const options = { cwd: folder, env: { PATH, HOME, NO_COLOR: '1' } };
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  return stdout;
}

describe('the examples of createReceiver pass', () => {
  it('with vitest', async () => {
    example('vitest', 'order.test.mjs');
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    expect(await node(vitest, 'run', '--root', folder)).toMatch(/Tests {2}1 passed/);
  });

  it('with node:test', async () => {
    const path = example('node:test', 'challenge.mjs');
    expect(await node('--test', '--test-reporter=tap', path)).toMatch(/^# pass 1$/m);
  });
});
