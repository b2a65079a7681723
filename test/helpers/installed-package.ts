import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execFileSync } from './run-sync.js';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Installs the package as it is published into a folder, with what it depends on, the `optional`
 * packages, and nothing else.
 */
export function installPacked(folder: string, optional: readonly string[] = []): void {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(
    execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  const installed = join(folder, 'node_modules/evfwd');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', installed]);
  for (const name of [...Object.keys(dependencies), ...optional]) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link, 'junction');
  }
}
