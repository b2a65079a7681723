import type { RunRecord, RunStatus } from '../../importer/shared/run-record.js';
import type { FolderState } from './folder/find-runs.js';
import type { Paint } from '../../output/text.js';

/** The status for people: a running run whose ranges are not all in the queue is `planning`. */
export type StatusText = RunStatus | 'planning';

export function statusText({ status, total }: Pick<RunRecord, 'status' | 'total'>): StatusText {
  return status === 'running' && total === null ? 'planning' : status;
}

export function statusColor(
  status: StatusText | FolderState,
  paint: Paint,
): (text: string) => string {
  const colors = {
    planning: paint.yellow,
    running: paint.green,
    paused: paint.yellow,
    cancelled: paint.red,
    finished: paint.dim,
    interrupted: paint.yellow,
    unreadable: paint.red,
    none: paint.dim,
  };
  return colors[status];
}
