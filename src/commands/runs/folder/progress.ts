import { layout } from '../../../audience/schema.js';
import { countRead } from '../../../ledger/progress.js';
import { stateOfRun } from '../../../ledger/state-use.js';
import { ImportStore, type OutcomeCounts } from '../../../ledger/store.js';
import { redactUrls } from '../../../output/redact-urls.js';
import { StateFile, type StateDisk } from '../../../storage/state-file.js';
import { shortName } from '../../shared/run-state.js';
import type { NotedFile } from './dead-letters.js';
import { readState } from './read-state.js';

/** What a state says of its run. */
export interface Progress {
  readonly kind: 'import' | 'replay' | 'audience';
  readonly isFinished: boolean;
  /** For people: at most a few names. */
  readonly filesText: string;
  /** All files, unless there are very many, or the list of an audience is meant. */
  readonly files: readonly NotedFile[];
  readonly counts: Omit<OutcomeCounts, 'disabled' | 'unwanted'> & {
    /** Read and not ended; of an audience: all changes of a run that has not ended. */
    readonly pending: number;
  };
}

/** No command for more files is shown. */
const maxFiles = 20;

/** @throws when the state cannot be read */
export function readProgress(path: string, id: string): Promise<Progress | undefined> {
  return readState(path, (disk) =>
    isAudience(disk) ? readAudience(disk, path) : readImport(disk, path, id),
  );
}

function isAudience({ database }: StateDisk): boolean {
  const sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'audience'";
  return database.prepare(sql).get() !== undefined;
}

function readImport(disk: StateDisk, path: string, id: string): Progress {
  const store = ImportStore.on(disk, path);
  const noted = Array.from({ length: maxFiles + 1 }, (_, index) => store.file(index) ?? []).flat();
  const { delivered, rejected, failed, skipped } = store.counts();
  return {
    kind: isReplay(id, noted[0]?.path) ? 'replay' : 'import',
    isFinished: store.isFinished(),
    filesText: redactUrls(store.record()?.description ?? ''),
    files: noted.length > maxFiles ? [] : noted,
    counts: { delivered, rejected, failed, skipped, pending: countRead(store.checkpoint().open) },
  };
}

/** The state of a replay has its own prefix, which a file of an import may have as well. */
function isReplay(id: string, file: string | undefined): boolean {
  if (file === undefined) return id.startsWith('replay-');
  const prefix = `${shortName([{ name: file, size: undefined, isFile: true }])}-`;
  return !(id.startsWith(prefix) && /^[\da-f]{12}/.test(id.slice(prefix.length)));
}

/** Delivered and failed are users by their last change, since a completed plan is not kept. */
function readAudience(disk: StateDisk, path: string): Progress {
  const state = StateFile.on(disk, path, stateOfRun('audience', layout));
  const count = (what: string) => Number(state.get(`SELECT count(*) AS n FROM ${what}`)!.n);
  const [delivered, failed] = [
    count('member WHERE NOT is_unsure'),
    count('member WHERE is_unsure'),
  ];
  const pending = count('change') + count('problem');
  const plan = state.get('SELECT file FROM plan');
  return {
    kind: 'audience',
    isFinished: plan === undefined,
    filesText: (plan?.file as string | undefined) ?? '',
    files: [],
    counts: { delivered, rejected: 0, failed, skipped: 0, pending },
  };
}
