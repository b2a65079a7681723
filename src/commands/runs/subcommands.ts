import type { FolderContext, RunsContext } from './context.js';

/** Does what a subcommand is for and resolves with the exit code; `id` is as typed, '' where none is taken. */
export type Work = (context: RunsContext, id: string) => Promise<number>;

/** The same for the runs of a folder; `ids` as typed. */
export type FolderWork = (context: FolderContext, ids: readonly string[]) => Promise<number>;

export interface Subcommand {
  readonly name: string;
  /** For the list of subcommands. */
  readonly summary: string;
  readonly description: string;
  readonly takesRun: boolean;
  /** Whether it changes nothing in the store. */
  readonly isReadOnly: boolean;
  load(): Promise<Work>;
  /** Absent if it is only for runs of a store. */
  readonly loadForFolder?: () => Promise<FolderWork>;
}

/** In the order of `--help`; the first one is what `evfwd runs` does. */
export const subcommands: readonly [Subcommand, ...Subcommand[]] = [
  {
    name: 'list',
    summary: 'list all runs, the newest first',
    description:
      'List all runs of a store on PostgreSQL, the newest first. Without a store: the imports, replays and audiences of this folder, the last changed first.',
    takesRun: false,
    isReadOnly: true,
    load: async () => (await import('./list.js')).list,
    loadForFolder: async () => (await import('./folder/list.js')).list,
  },
  {
    name: 'show',
    summary: 'show a run in detail',
    description: 'Show progress, counts, reasons, workers and problems of a run.',
    takesRun: true,
    isReadOnly: true,
    load: async () => (await import('./show.js')).show,
  },
  {
    name: 'pause',
    summary: 'pause a run: its workers finish what is in flight',
    description: 'Pause a run. Its workers finish what is in flight and send nothing more for it.',
    takesRun: true,
    isReadOnly: false,
    load: async () => (await import('./status-changes.js')).pause,
  },
  {
    name: 'resume',
    summary: 'resume a paused run',
    description: 'Resume a run that was paused, or that --stop-after has stopped.',
    takesRun: true,
    isReadOnly: false,
    load: async () => (await import('./status-changes.js')).resume,
  },
  {
    name: 'cancel',
    summary: 'cancel a run for good',
    description: 'Cancel a run for good. What has not been sent by then is never sent.',
    takesRun: true,
    isReadOnly: false,
    load: async () => (await import('./status-changes.js')).cancel,
  },
  {
    name: 'dead-letters',
    summary: 'print the dead letters of a run as NDJSON',
    description:
      'Print the rejected and failed events of a run as NDJSON, which import reads. Nothing is removed.',
    takesRun: true,
    isReadOnly: true,
    load: async () => (await import('./dead-letters.js')).deadLetters,
  },
  {
    name: 'verify',
    summary: 'put back what has failed or is missing',
    description:
      'Look at all parts and retries of a run; what has failed or is missing is put back for the workers.',
    takesRun: true,
    isReadOnly: false,
    load: async () => (await import('./verify.js')).verify,
  },
  {
    name: 'remove',
    summary: 'delete a run that is not running, with its dead letters',
    description:
      'Delete everything of a run from the store, its dead letters included. A running run must be cancelled or paused first. Without a store: delete the state and the dead letters of finished runs of this folder.',
    takesRun: true,
    isReadOnly: false,
    load: async () => (await import('./remove.js')).remove,
    loadForFolder: async () => (await import('./folder/remove.js')).remove,
  },
];
