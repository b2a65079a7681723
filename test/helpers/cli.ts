import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The program as its users start it; built by `global-setup.ts`. */
export const program = fileURLToPath(new URL('../../bin/evfwd.js', import.meta.url));

export interface CliOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly stdin?: string | Buffer;
}

export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the program with nothing of this process's environment but PATH and HOME. */
export function start(
  args: readonly string[],
  options: CliOptions = {},
): ChildProcessWithoutNullStreams {
  const { PATH = '', HOME = '' } = process.env;
  return spawn(process.execPath, [program, ...args], {
    cwd: options.cwd,
    env: { PATH, HOME, ...options.env },
  });
}

/** Runs the program to its end. */
export async function cli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const child = start(args, options);
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.stdin);
  return ended(child);
}

/** Waits for a started program, with all it has written. */
export async function ended(child: ChildProcessWithoutNullStreams): Promise<CliResult> {
  const exit = new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    child.once('close', (code, signal) => resolve([code, signal])),
  );
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    exit,
  ]);
  return { code, signal, stdout, stderr };
}

/** Runs the program with files of at most so many KiB; what exceeds that fails as on a full disk. */
export function onFullDisk(
  kibibytes: number,
  args: readonly string[],
  cwd: string,
): Promise<CliResult> {
  const script = `trap '' XFSZ; ulimit -f ${kibibytes}; exec "$@"`;
  return ended(spawn('bash', ['-c', script, 'bash', process.execPath, program, ...args], { cwd }));
}
