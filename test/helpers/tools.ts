import { findChromium } from './chromium.js';
import { findFaketime } from './faketime.js';
import { findPostgres } from './find-postgres.js';
import { findPython } from './python.js';
import { spawnSync } from './run-sync.js';

/** Programs that some tests need and not every machine has, with what is skipped without them. */
const tools = {
  openssl: { probe: ['version'], tests: 'TLS, and signatures compared with those of openssl' },
  zsh: { probe: ['--version'], tests: 'completion in zsh' },
  fish: { probe: ['--version'], tests: 'completion in fish' },
  prlimit: { probe: ['--version'], tests: 'a state file that has no more room' },
  nginx: { probe: ['-v'], tests: 'the recipe of nginx' },
  go: { probe: ['version'], tests: 'the fixes of check in Go' },
  ruby: {
    probe: ['-e', 'require "action_controller/railtie"; require "puma"'],
    tests: 'the fixes of check in Rails',
  },
  php: {
    probe: ['-r', 'exit((include "Illuminate/autoload.php") ? 0 : 1);'],
    tests: 'the fixes of check in Laravel',
  },
  // Containers may forbid what it does.
  strace: { probe: ['-f', '-o', '/dev/null', 'true'], tests: 'power cuts' },
} as const;

export type Tool = keyof typeof tools;

/** Whether a program can be run. Tests that need it are skipped where it is not. */
export function hasTool(name: Tool): boolean {
  return spawnSync(name, tools[name].probe).status === 0;
}

/** The missing programs and the tests that are skipped without them, one per line. */
export function missingTools(): string[] {
  const missing = (Object.keys(tools) as Tool[])
    .filter((name) => !hasTool(name))
    .map((name) => `${name} cannot be run, so these tests are skipped: ${tools[name].tests}`);
  if (findChromium() === undefined) {
    missing.push('no Chromium was found (CHROMIUM names one), so these are skipped: the pages');
  }
  if (findPython() === undefined) {
    missing.push(
      'no Python with fastapi, uvicorn, flask, gunicorn and cryptography was found, so these are skipped: the fixes of check in Python',
    );
  }
  if (findPostgres() === undefined) {
    missing.push('no PostgreSQL was found, so these are skipped: a store that machines share');
  }
  if (findFaketime() === undefined) {
    missing.push('no libfaketime was found, so these are skipped: a service whose clock is set');
  }
  return missing;
}
