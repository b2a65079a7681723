import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { hasStore } from './has-store.js';
import { missingTools } from './tools.js';
import { execFileSync } from './run-sync.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Of all random choices. */
    readonly seed: number;
    /** Whether properties are tried as often as they ask for; not set where they are not. */
    readonly isThorough?: boolean;
  }
}

const build = fileURLToPath(new URL('../../scripts/build.js', import.meta.url));

/** Once per run: builds what is not up to date, and prints the seed and the skipped tests. */
export default function setup(project: TestProject): void {
  execFileSync(process.execPath, [build], { stdio: 'inherit' });
  sayMissingTools();
  if (!hasStore(process.versions.node)) {
    process.stdout.write(
      `Node.js ${process.versions.node} has no shared store, so its tests are left out: npx -y -p node@22 node node_modules/vitest/vitest.mjs run --project store --project store-slow\n`,
    );
  }
  const { EVFWD_TEST_SEED: given } = process.env;
  const seed = given ? Number(given) : Math.floor(Math.random() * 0x8000_0000);
  if (!Number.isSafeInteger(seed)) throw new Error(`EVFWD_TEST_SEED=${given} is no integer`);
  process.stdout.write(`EVFWD_TEST_SEED=${seed} makes the same random choices again\n`);
  project.provide('seed', seed);
}

/** Prints the reason; an error where no test may be skipped. */
function sayMissingTools(): void {
  const missing = missingTools();
  if (missing.length > 0 && process.env.CI_REQUIRES_TOOLS === '1')
    throw new Error(`CI_REQUIRES_TOOLS=1, and ${missing.join('; ')}`);
  for (const line of missing) process.stdout.write(`${line}\n`);
}
