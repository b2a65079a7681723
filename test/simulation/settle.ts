/** How many callbacks of `setImmediate` are still to be called. */
let pending = 0;
const systemSetImmediate = globalThis.setImmediate;

/** Counts callbacks, so that a world knows when nothing is left to do at its present time. */
export function countImmediates(): void {
  const counted = (callback: (...values: unknown[]) => void, ...values: unknown[]) => {
    pending++;
    return systemSetImmediate(() => {
      pending--;
      callback(...values);
    });
  };
  const wrapped: unknown = Object.assign(counted, systemSetImmediate);
  globalThis.setImmediate = wrapped as typeof setImmediate;
}

/** Resolves when all callbacks that do not wait for the clock have been called. */
export async function settled(): Promise<void> {
  do await new Promise<void>((resolve) => systemSetImmediate(resolve));
  while (pending > 0 || isReading());
}

/** Whether a file is being read, which takes no time in a world. */
function isReading(): boolean {
  return process
    .getActiveResourcesInfo()
    .some((name) => name === 'Immediate' || name.includes('Req'));
}
