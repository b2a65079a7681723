/** Nothing more is sent: the run was interrupted, or the endpoint has gone. */
export class SessionEnded extends Error {}

/**
 * What `work` gives, or SessionEnded when the signal aborts before. What `work` does after that is
 * ignored; work that is done at the time of the call has its result even if the signal has aborted.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(new SessionEnded());
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
    if (signal.aborted) setImmediate(end);
    else signal.addEventListener('abort', end);
  });
}
