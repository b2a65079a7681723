import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/say-missing-tools.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
