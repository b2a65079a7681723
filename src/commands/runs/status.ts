import type { RunStatus } from '../../importer/shared/run-record.js';
import type { FolderState } from './folder/find-runs.js';
import type { Paint } from '../../output/text.js';

export function statusColor(
  status: RunStatus | FolderState,
  paint: Paint,
): (text: string) => string {
  const colors = {
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
