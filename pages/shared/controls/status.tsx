import { Received } from '../text/received.js';

interface StatusProps {
  readonly status: number | null;
  /** Shown when there is no status. */
  readonly error: string;
}

/** The status of a response, or why there was none. */
export function Status({ status, error }: StatusProps) {
  return (
    <span class={isSuccess(status) ? 'status' : 'status bad'}>
      {status ?? <Received text={error} />}
    </span>
  );
}

export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}
