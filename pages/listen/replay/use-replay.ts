import { useEffect, useRef, useState } from 'preact/hooks';
import type { ReplayRequest, ReplayResult, RequestRow } from '../../../src/api/listen.js';
import { useInspector } from '../view/inspector.js';

export type Result = ReplayResult['results'][number];

export interface ReplayState {
  readonly isRunning: boolean;
  readonly results: readonly Result[];
  /** Why the replay ended early. */
  readonly error: string | undefined;
}

/** Requests per call: few, so that results appear soon and the replay can be stopped. */
const atOnce = 10;

/** Replays requests in the order in which they were received. */
export function useReplay() {
  const { receiver } = useInspector();
  const [state, setState] = useState<ReplayState>({
    isRunning: false,
    results: [],
    error: undefined,
  });
  const abort = useRef<AbortController>(undefined);
  const stop = (): void => abort.current?.abort();
  useEffect(() => stop, []);

  const run = async (
    rows: readonly RequestRow[],
    request: Omit<ReplayRequest, 'ids'>,
    signal: AbortSignal,
  ): Promise<void> => {
    const ids = [...rows].sort((one, other) => one.sequence - other.sequence).map(({ id }) => id);
    let results: readonly Result[] = [];
    let error: string | undefined;
    setState({ isRunning: true, results, error });
    try {
      for (let i = 0; i < ids.length; i += atOnce) {
        const part = { ...request, ids: ids.slice(i, i + atOnce) };
        results = [...results, ...(await receiver.replay(part, signal)).results];
        setState({ isRunning: true, results, error });
      }
    } catch (failure) {
      error = signal.aborted ? 'Stopped.' : (failure as Error).message;
    }
    setState({ isRunning: false, results, error });
  };

  const start = (rows: readonly RequestRow[], request: Omit<ReplayRequest, 'ids'>): void => {
    abort.current = new AbortController();
    void run(rows, request, abort.current.signal);
  };
  return { state, start, stop };
}
