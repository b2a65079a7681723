import * as children from 'node:child_process';

/**
 * For a process that a test waits for. Nothing else ends that wait: the timeout of a test does not,
 * because it needs the thread that waits.
 */
const limit = { timeout: 180_000, killSignal: 'SIGKILL' } as const;

/** With the limit in the options, which are the last argument, if there are any. */
function limited([file, ...rest]: unknown[]): unknown[] {
  const args = Array.isArray(rest[0]) ? (rest.shift() as string[]) : [];
  return [file, args, { ...limit, ...(rest[0] as object | undefined) }];
}

/** As in `node:child_process`, with a timeout of 3 minutes. */
export const spawnSync = ((...given: unknown[]) =>
  children.spawnSync(
    ...(limited(given) as Parameters<typeof children.spawnSync>),
  )) as typeof children.spawnSync;

/** As in `node:child_process`, with a timeout of 3 minutes. */
export const execFileSync = ((...given: unknown[]) =>
  children.execFileSync(
    ...(limited(given) as Parameters<typeof children.execFileSync>),
  )) as typeof children.execFileSync;
