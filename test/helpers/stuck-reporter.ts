import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** More than two attempts of the longest test take. */
const limitMs = 15 * 60_000;

/**
 * Ends a run in which a file has had no result for 15 minutes, and names it. The timeout of a test
 * does not end one whose thread is busy or waits for a child process.
 */
export default class StuckReporter implements Reporter {
  readonly #lastResult = new Map<TestModule, number>();
  #vitest?: Vitest;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
    setInterval(() => this.#look(), 30_000).unref();
  }

  onTestModuleStart(module: TestModule): void {
    this.#lastResult.set(module, performance.now());
  }

  onTestCaseResult({ module }: TestCase): void {
    this.#lastResult.set(module, performance.now());
  }

  onTestModuleEnd(module: TestModule): void {
    this.#lastResult.delete(module);
  }

  #look(): void {
    const since = performance.now() - limitMs;
    const stuck = [...this.#lastResult].filter(([, at]) => at < since).map(([module]) => module);
    if (stuck.length === 0) return;
    const { root } = this.#vitest!.config;
    for (const { moduleId, project } of stuck) {
      const { seed } = project.getProvidedContext();
      process.stdout.write(
        `${relative(root, moduleId)} has had no result for 15 minutes, so the run ends; EVFWD_TEST_SEED=${seed}\n`,
      );
    }
    // Stopping the workers would wait for the one that is stuck.
    process.exit(1);
  }
}
