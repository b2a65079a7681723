import { defineConfig } from 'vitest/config';

/** Trials of many machines that take minutes, and need a machine without other load. */
export default defineConfig({
  test: {
    globalSetup: ['test/helpers/global-setup.ts'],
    setupFiles: ['test/helpers/setup.ts'],
    include: ['test/many-machines/by-hand/*.trial.ts'],
    fileParallelism: false,
    pool: 'forks',
    testTimeout: 900_000,
  },
});
