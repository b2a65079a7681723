import { relative } from 'node:path';
import { writeSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { spawnSync } from './run-sync.js';

/**
 * Ends a run in which a file has had no result for some minutes (default: 25, more than two attempts
 * of the longest test take), and names it. The timeout of a test
 * does not end one whose thread is busy or waits for a child process.
 */
export default class StuckReporter implements Reporter {
  /** By id: Vitest hands over another object for a module once it has been imported. */
  readonly #running = new Map<string, { module: TestModule; lastResult: number }>();
  readonly #limitMinutes: number;
  #vitest?: Vitest;

  constructor({ limitMinutes = 25 }: { limitMinutes?: number } = {}) {
    this.#limitMinutes = limitMinutes;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
    setInterval(() => this.#look(), this.#limitMinutes * 1_200).unref();
  }

  /** A worker begins with the file, before it is imported. */
  onTestModuleQueued(module: TestModule): void {
    this.#running.set(module.id, { module, lastResult: performance.now() });
  }

  onTestCaseResult({ module }: TestCase): void {
    this.#running.set(module.id, { module, lastResult: performance.now() });
  }

  onTestModuleEnd({ id }: TestModule): void {
    this.#running.delete(id);
  }

  #look(): void {
    const since = performance.now() - this.#limitMinutes * 60_000;
    const stuck = [...this.#running.values()].filter(({ lastResult }) => lastResult < since);
    if (stuck.length === 0) return;
    const { root } = this.#vitest!.config;
    for (const { module } of stuck) {
      const { moduleId, project } = module;
      const { seed } = project.getProvidedContext();
      const file = relative(root, moduleId);
      writeSync(
        1,
        `${file} has had no result for ${this.#limitMinutes} minutes, so the run ends; EVFWD_TEST_SEED=${seed}\n`,
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
