import { missingTools } from './tools.js';

/** Says once for the whole run which tests are skipped, and why; an error where none may be. */
export function setup(): void {
  const missing = missingTools();
  if (missing.length > 0 && process.env.CI_REQUIRES_TOOLS === '1')
    throw new Error(`CI_REQUIRES_TOOLS=1, and ${missing.join('; ')}`);
  for (const line of missing) process.stdout.write(`${line}\n`);
}
