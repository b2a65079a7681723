/** Throws outside of the caller: what a callback of the user throws must not affect what is being done. */
export function rethrowOutside(error: unknown): void {
  process.nextTick(() => {
    throw error;
  });
}
