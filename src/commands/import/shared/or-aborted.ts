/** The result of `work`; undefined if the signal comes first. Errors that come later are nobody's. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  let cancel = (): void => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    cancel = () => resolve(undefined);
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
