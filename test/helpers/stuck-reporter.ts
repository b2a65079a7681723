import { relative } from 'node:path';
import { writeSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { spawnSync } from './run-sync.js';

/** More than two attempts of the longest test take. */
const limitMinutes = 25;

/**
 * Ends a run in which a file has had no result for 25 minutes, and names it. The timeout of a test
 * does not end one whose thread is busy or waits for a child process.
 */
export default class StuckReporter implements Reporter {
  readonly #lastResult = new Map<TestModule, number>();
  #vitest?: Vitest;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
    setInterval(() => this.#look(), 30_000).unref();
  }

  /** A worker begins with the file, before it is imported. */
  onTestModuleQueued(module: TestModule): void {
    this.#lastResult.set(module, performance.now());
  }

  onTestCaseResult({ module }: TestCase): void {
    this.#lastResult.set(module, performance.now());
  }

  onTestModuleEnd(module: TestModule): void {
    this.#lastResult.delete(module);
  }

  #look(): void {
    const since = performance.now() - limitMinutes * 60_000;
    const stuck = [...this.#lastResult].filter(([, at]) => at < since).map(([module]) => module);
    if (stuck.length === 0) return;
    const { root } = this.#vitest!.config;
    for (const { moduleId, project } of stuck) {
      const { seed } = project.getProvidedContext();
      const file = relative(root, moduleId);
      writeSync(
        1,
        `${file} has had no result for ${limitMinutes} minutes, so the run ends; EVFWD_TEST_SEED=${seed}\n`,
      );
    }
    // An orderly exit would wait for a thread that is stuck in a system call.
    killWithChildren(process.pid);
  }
}

function killWithChildren(pid: number): void {
  const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
  for (const child of stdout.split('\n').filter(Boolean)) killWithChildren(Number(child));
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended, as the process that found it has.
  }
}
