import { useState } from 'preact/hooks';

export interface Action<Result> {
  readonly isRunning: boolean;
  readonly result: Result | undefined;
  readonly error: string | undefined;
  readonly run: () => void;
}

/** The state of an asynchronous action, for a dialog that shows its result or error. */
export function useAction<Result>(act: () => Promise<Result>): Action<Result> {
  const [state, setState] = useState<Omit<Action<Result>, 'run'>>({
    isRunning: false,
    result: undefined,
    error: undefined,
  });
  const run = (): void => {
    setState({ isRunning: true, result: undefined, error: undefined });
    act().then(
      (result) => setState({ isRunning: false, result, error: undefined }),
      (error: unknown) =>
        setState({ isRunning: false, result: undefined, error: (error as Error).message }),
    );
  };
  return { ...state, run };
}
