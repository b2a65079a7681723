import { relative } from 'node:path';
import { writeSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { spawnSync } from './run-sync.js';

/**
 * Kills a run in which a file has had no result for some minutes (default: 25, more than two attempts of
 * the longest test take), and names it. The timeout of a test does not end one whose thread is busy or
 * waits for a child process.
 */
export default class StuckReporter implements Reporter {
  /** By module id: after the import, Vitest passes another object for the same module. */
  readonly #running = new Map<string, { module: TestModule; lastResult: number }>();
  readonly #limitMs: number;
  #vitest?: Vitest;

  constructor({ limitMinutes = 25 }: { limitMinutes?: number } = {}) {
    this.#limitMs = limitMinutes * 60_000;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
    setInterval(() => this.#killIfStuck(), this.#limitMs / 50).unref();
  }

  /** A worker starts with the file, before the import. */
  onTestModuleQueued(module: TestModule): void {
    this.#running.set(module.id, { module, lastResult: performance.now() });
  }

  onTestCaseResult({ module }: TestCase): void {
    this.#running.set(module.id, { module, lastResult: performance.now() });
  }

  onTestModuleEnd({ id }: TestModule): void {
    this.#running.delete(id);
  }

  #killIfStuck(): void {
    const since = performance.now() - this.#limitMs;
    const stuck = [...this.#running.values()].filter(({ lastResult }) => lastResult < since);
    if (stuck.length === 0) return;
    const { root } = this.#vitest!.config;
    for (const { module } of stuck) {
      const { moduleId, project } = module;
      const { seed } = project.getProvidedContext();
      const file = relative(root, moduleId);
      writeSync(
        1,
        `${file} has had no result for ${this.#limitMs / 60_000} minutes, so the run is killed; EVFWD_TEST_SEED=${seed}\n`,
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
    // It has already ended.
  }
}
