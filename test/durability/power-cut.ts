import { mkdirSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { program } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { Disk, type DiskOptions, type Image, type Survival } from './disk.js';
import { stepsOf, tracedCalls, type FileStep, type Step } from './steps.js';
import { parseTrace } from './trace.js';

/** What a program did to its state and its connections, and what its state was before. */
export interface Recording {
  /** The folder of the state, an absolute path. */
  readonly folder: string;
  readonly before: Image;
  readonly steps: readonly Step[];
}

/** A folder for a traced program to run in, with these files in it; removed after the test. */
export function traceableFolder(files: Record<string, string> = {}): string {
  const cwd = join(realpathSync(folderWith()), 'run');
  mkdirSync(cwd);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  return cwd;
}

/** Outside the folder, since a service watches the folder and would see its own trace grow. */
const traceOf = (cwd: string): string => join(dirname(cwd), 'trace');

/** Delays some system calls; the syntax is that of `strace -e inject=`. */
export type Slow = `${string}:delay_enter=${number}${string}`;

/**
 * Starts the program under strace in a `traceableFolder`. Signals go to the program; the process ends when
 * both have ended.
 */
export function startTraced(
  args: readonly string[],
  cwd: string,
  slow?: Slow,
): ChildProcessWithoutNullStreams {
  const { PATH = '', HOME = '' } = process.env;
  const flags = ['-D', '-f', '--seccomp-bpf', '-y', '-xx', '-s', '100000000', '-o', traceOf(cwd)];
  const calls = ['-e', `trace=${tracedCalls.join(',')}`, '-e', 'signal=none'];
  if (slow) calls.push('-e', `inject=${slow}`);
  // strace does not show calls through io_uring.
  return spawn('strace', [...flags, ...calls, process.execPath, program, ...args], {
    cwd,
    env: { PATH, HOME, UV_USE_IO_URING: '0' },
  });
}

/** Reads what a program did that was started by `startTraced` and has ended. */
export function recordingOf(cwd: string, before: Image): Recording {
  const folder = join(cwd, '.evfwd');
  const trace = readFileSync(traceOf(cwd), 'latin1');
  const steps = stepsOf(parseTrace(trace), folder, cwd);
  if (!steps.some(({ kind }) => kind === 'write')) throw new Error('the trace shows no write');
  return { folder, before, steps };
}

/** The files of the state in a working directory. */
export function readState(cwd: string): Image {
  const folder = join(cwd, '.evfwd');
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = names
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(paths.map((path) => [path, readFileSync(path)]));
}

/** Replaces the state with that after a power cut at `at`. */
export function cutPower(
  { folder, before, steps }: Recording,
  at: number,
  survival: Survival,
  options: DiskOptions = {},
): void {
  const disk = new Disk(before, options);
  for (const step of steps) {
    if (step.at > at) break;
    if (isOnFile(step)) disk.apply(step);
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  for (const [path, bytes] of disk.cut(survival)) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, bytes, { mode: 0o600 });
  }
}

function isOnFile(step: Step): step is FileStep {
  return step.kind !== 'sent' && step.kind !== 'received';
}

/** When and how the power is cut. */
export interface Cut {
  readonly at: number;
  readonly survival: Survival;
}

/**
 * Chooses cuts: after responses, before and after syncs return, after writes; spread over the whole run,
 * at random within each part of it. Every second one keeps some of what was not synced.
 */
export function chooseCuts(steps: readonly Step[], count: number, random: () => number): Cut[] {
  const of = (...kinds: Step['kind'][]): number[] =>
    steps.filter(({ kind }) => kinds.includes(kind)).map(({ at }) => at);
  const synced = of('synced');
  const kinds = [of('received'), of('sent'), synced.map((at) => at - 1), synced, of('write')];
  const places = kinds.flatMap((all) => spread(all, Math.ceil(count / kinds.length), random));
  return places.map((at, i) => ({ at, survival: i % 2 === 0 ? 'synced only' : { random } }));
}

/** Divides a list into `parts` equal parts, and returns one random item of each. */
export function spread(all: readonly number[], parts: number, random: () => number): number[] {
  return Array.from({ length: parts }, (_, i) => {
    const index = Math.floor(((i + random()) * all.length) / parts);
    return all[index];
  }).filter((at) => at !== undefined);
}
