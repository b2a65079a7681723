import * as children from 'node:child_process';

/**
 * In milliseconds, for a process that a test waits for. Nothing else ends that wait: the timeout of a
 * test does not, because it needs the thread that waits.
 */
const timeout = 180_000;
const killSignal = 'SIGKILL';

/** As in `node:child_process`, with a timeout of 3 minutes. */
export const spawnSync = ((command: string, args: string[] = [], options: object = {}) =>
  children.spawnSync(command, args, {
    timeout,
    killSignal,
    ...options,
  })) as typeof children.spawnSync;

/** As in `node:child_process`, with a timeout of 3 minutes. */
export const execFileSync = ((file: string, args: string[] = [], options: object = {}) =>
  children.execFileSync(file, args, {
    timeout,
    killSignal,
    ...options,
  })) as typeof children.execFileSync;
