import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A file of kept events in the folder of its series, `<number>-<time of its first event>.log`, and its index. */
export interface KeptFile {
  readonly retentionMs: number;
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Paths. */
  readonly log: string;
  readonly index: string;
}

/** How many files the retention, and what may be on the disk, are divided among. */
export const filesPerRetention = 24;
const minSpanMs = 60_000;

/** The longest time from the start of a file to its last event, in milliseconds. */
export function spanOf(retentionMs: number): number {
  return Math.max(retentionMs / filesPerRetention, minSpanMs);
}

export function fileNames(
  folder: string,
  number: number,
  startedAt: number,
  retentionMs: number,
): KeptFile {
  const path = join(folder, `${String(number).padStart(8, '0')}-${startedAt}`);
  return { retentionMs, number, startedAt, log: `${path}.log`, index: `${path}.idx` };
}

/** The files of a series, the oldest first. */
export function keptFilesOf(folder: string, retentionMs: number): KeptFile[] {
  return namesIn(folder)
    .flatMap((name) => {
      const [, number, startedAt] = /^(\d{8,})-(\d+)\.log$/.exec(name) ?? [];
      if (number === undefined) return [];
      return fileNames(folder, Number(number), Number(startedAt), retentionMs);
    })
    .sort((one, other) => one.number - other.number);
}

/** The retentions that have files, in milliseconds: each has a folder. */
export function retentionsIn(folder: string): number[] {
  return namesIn(folder)
    .filter((name) => /^\d{1,16}$/.test(name))
    .map(Number);
}

/** All files, about in the order of arrival. */
export function allKeptFiles(folder: string): KeptFile[] {
  return retentionsIn(folder)
    .flatMap((retentionMs) => keptFilesOf(join(folder, String(retentionMs)), retentionMs))
    .sort(
      (one, other) =>
        one.startedAt - other.startedAt ||
        one.retentionMs - other.retentionMs ||
        one.number - other.number,
    );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
