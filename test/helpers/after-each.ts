const hooks: (() => unknown)[] = [];

/**
 * `afterEach` for helpers: their modules are loaded once for the tests of many files, and a hook of
 * Vitest would only run in the first file.
 */
export function afterEachTest(hook: () => unknown): void {
  hooks.push(hook);
}

/** Called after each test by `setup.ts`. Hooks run in reverse order, as in Vitest. */
export async function runHooks(): Promise<void> {
  for (const hook of hooks.toReversed()) await hook();
}
