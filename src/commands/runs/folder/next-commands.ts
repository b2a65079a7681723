import { stateFlags } from '../../flags/run.js';
import { resumeCommand, retryCommand } from '../../flags/next-command.js';
import { defaultStateDir } from '../../shared/state-dir.js';
import { splitEntry } from '../../../sources/entry-name.js';
import type { FolderRun } from './find-runs.js';

/** Of a target, a state has only a hash: its URL, its secrets and the other options are left to the user. */
const target = '--url …';

/** The command that continues an interrupted run; undefined if the state does not say enough. */
export function continueCommand(run: FolderRun, folder: string): string | undefined {
  const { id, state, progress } = run;
  if (state !== 'interrupted' || !progress || progress.kind === 'audience') return undefined;
  const { kind, files } = progress;
  if (files.length === 0) return undefined;
  // The entries of an archive stand for it.
  const paths = [...new Set(files.map(({ path }) => splitEntry(path).file))];
  const command = resumeCommand(paths, typedFlags(folder), `evfwd ${kind}`);
  return command && `${command} ${target}${shardFlags(id)}`;
}

/** The command that sends dead letters, unless they are sent already or their audience sends them again by itself. */
export function deadLetterCommand(
  { progress, deadLetters }: FolderRun,
  folder: string,
): string | undefined {
  if (!deadLetters || deadLetters.isSent || progress?.kind === 'audience') return undefined;
  const program =
    progress?.kind === 'replay' || deadLetters.areRequests ? 'evfwd replay' : 'evfwd import';
  return `${retryCommand(deadLetters.file, typedFlags(folder), '.', program)} ${target}`;
}

function typedFlags(folder: string): Parameters<typeof retryCommand>[1] {
  return folder === defaultStateDir ? [] : [{ flag: stateFlags.stateDir, value: folder }];
}

/** Each shard has a state of its own. */
function shardFlags(id: string): string {
  const [, number, count, order] = /-shard-(\d+)-of-(\d+)(-ordered)?$/.exec(id) ?? [];
  return number === undefined ? '' : ` --shard ${number}/${count!}${order ? ' --ordered' : ''}`;
}
