import { Received } from '../text/received.js';
import { Icon, type IconName } from './icon.js';

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

interface StateWordProps {
  /** The class that colors it. */
  readonly state: string;
  readonly icon: IconName;
  readonly word?: string;
}

/** A state as a shape, a color and a word. */
export function StateWord({ state, icon, word = state }: StateWordProps) {
  return (
    <span class={`verdict ${state}`}>
      <Icon name={icon} />
      {word}
    </span>
  );
}
