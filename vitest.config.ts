import { defineConfig } from 'vitest/config';
import { hasStore } from './test/helpers/has-store.js';

/**
 * The end of a file's name says where it runs; CONTRIBUTING.md says which end to choose. Slow tests
 * run in `npm run test:all` only.
 */
const testsNamed = (kind: string): string => `test/**/*.${kind}.test.ts`;

const otherKinds = ['property', 'process', 'browser', 'slow', 'memory', 'store', 'store.slow'];

/**
 * A CI machine that stalls for seconds breaks tests of real processes, though nothing is wrong: one more
 * attempt there, with the same seed. The reporter names each test that needed it.
 */
const retry = process.env.CI_REQUIRES_TOOLS === undefined ? 0 : 1;

/** What holds for each project. */
const common = {
  setupFiles: ['test/helpers/setup.ts'],
  // A machine that is busy with other tests takes its time.
  expect: { requireAssertions: true, poll: { timeout: 20_000 } },
  testTimeout: 60_000,
  hookTimeout: 120_000,
};

/** Tests with a PostgreSQL of their own; the packages behind it need Node.js 22.12. */
const storeProjects = hasStore(process.versions.node)
  ? (['store', 'store.slow'] as const).map((name) => ({
      test: {
        ...common,
        name: name.replace('.', '-'),
        retry,
        include: [testsNamed(name)],
        pool: 'forks' as const,
        testTimeout: 120_000,
      },
    }))
  : [];

export default defineConfig({
  test: {
    globalSetup: ['test/helpers/global-setup.ts'],
    // Tests wait more than they compute: on two cores, one at a time would leave the machine idle.
    maxWorkers: 3,
    projects: [
      {
        test: {
          ...common,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: otherKinds.map(testsNamed),
          pool: 'threads',
          isolate: false,
        },
      },
      {
        test: {
          ...common,
          name: 'property',
          include: [testsNamed('property')],
          pool: 'threads',
          isolate: false,
        },
      },
      {
        test: {
          ...common,
          name: 'thorough',
          include: [testsNamed('property')],
          provide: { isThorough: true },
          pool: 'forks',
          testTimeout: 240_000,
        },
      },
      {
        test: {
          ...common,
          name: 'process',
          retry,
          include: [testsNamed('process')],
          pool: 'forks',
        },
      },
      {
        test: {
          ...common,
          name: 'browser',
          retry,
          include: [testsNamed('browser')],
          globalSetup: ['test/helpers/start-chromium.ts'],
          pool: 'threads',
          isolate: false,
        },
      },
      {
        test: {
          ...common,
          name: 'slow',
          retry,
          include: [testsNamed('slow')],
          exclude: [testsNamed('store.slow')],
          globalSetup: ['test/helpers/start-chromium.ts'],
          pool: 'forks',
          testTimeout: 240_000,
        },
      },
      ...storeProjects,
      {
        test: {
          ...common,
          name: 'memory',
          retry,
          include: [testsNamed('memory')],
          pool: 'forks',
          testTimeout: 240_000,
          // After all others, one at a time: a process that gets no CPU collects its garbage late.
          sequence: { groupOrder: 1 },
          maxWorkers: 1,
        },
      },
    ],
  },
});
