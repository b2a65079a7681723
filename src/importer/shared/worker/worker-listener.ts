import type { EndpointNotice } from '../../../delivery/endpoint-notice.js';
import type { RangeItem } from '../item.js';
import type { RunRecord, RunSnapshot } from '../run-record.js';
import type { ItemEnd } from './held-item.js';

/** What a worker tells its user. */
export interface WorkerListener {
  joined(record: RunRecord): void;
  /** It does not work on this run, and why; once for each reason. */
  refused(record: RunRecord, why: string): void;
  /** What is known of a URL has changed; a pause ends in `forMs`. */
  url(url: string, notice: EndpointNotice, forMs: number): void;
  /** Reading pauses, as so many events wait for a retry, or goes on. */
  held(record: RunRecord, isHeld: boolean, waiting: number): void;
  /** A range, or retries of a file, failed for good. */
  failed(record: RunRecord, path: string | undefined, message: string): void;
  /** A range begins, or has ended. */
  range(record: RunRecord, range: RangeItem, end?: ItemEnd): void;
  /** It has left the run: paused, cancelled, finished; without a snapshot, the run was removed. */
  left(record: RunRecord, snapshot: RunSnapshot | undefined): void;
}
