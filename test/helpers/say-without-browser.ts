import { findChromium } from './chromium.js';

/** Says once for the whole run that the tests in a browser are left out; a failure where they must not be. */
export function setup(): void {
  if (findChromium() !== undefined) return;
  const reason = 'no Chromium was found (CHROMIUM names one)';
  if (process.env.CI_REQUIRES_BROWSER === '1')
    throw new Error(`${reason}, and it is required here`);
  process.stdout.write(`${reason}, so the tests in a browser are skipped\n`);
}
