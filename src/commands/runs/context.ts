import type { RunStore } from '../../importer/shared/run-store.js';
import { printable } from '../../output/printable.js';
import type { Io } from '../shared/command.js';
import { say } from '../shared/output.js';
import type { StoreFlags } from '../shared/store-flags.js';

/** Flags of `runs` and its subcommands, as commander parses them. */
export interface RunsFlags extends StoreFlags {
  json?: boolean;
  quiet?: boolean;
  color?: boolean;
  stateDir?: string;
  /** Of `remove`. */
  finished?: boolean;
  force?: boolean;
}

/** What every subcommand works with for the runs of a server. */
export interface RunsContext {
  readonly store: RunStore;
  readonly flags: RunsFlags;
  readonly io: Io;
}

/** What a subcommand works with for the runs of a folder. */
export interface FolderContext extends Pick<RunsContext, 'flags' | 'io'> {
  readonly folder: string;
}

/** A remark for people, on standard error, unless `--quiet`. */
export function remark({ flags, io }: Pick<RunsContext, 'flags' | 'io'>, text: string): void {
  if (!flags.quiet) say(io, printable(text));
}
