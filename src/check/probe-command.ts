import { spawn, type ChildProcess } from 'node:child_process';
import { systemClock } from '../clock.js';

export const probeTimeoutMs = 3_000;
/** More than a number and an error message have. */
const maxOutput = 64 * 1024;

/**
 * The probe of `--probe`: runs a command in a shell, and reads the number that it prints.
 *
 * @returns a function that rejects, with one line, when the command fails, takes too long or prints no number
 */
export function probeCommand(
  command: string,
  timeoutMs = probeTimeoutMs,
): (signal?: AbortSignal) => Promise<number> {
  return async (signal) => {
    const { status, stdout, stderr } = await run(command, timeoutMs, signal);
    if (status !== 'exit code 0') {
      throw new Error(`the probe ended with ${status}${said(stderr)}`);
    }
    const text = stdout.trim();
    if (/^[+-]?\d{1,15}$/.test(text)) return Number(text);
    throw new Error(
      text === ''
        ? `the probe printed nothing${said(stderr)}; it has to print a number`
        : `the probe printed "${printable(text)}"; it has to print a whole number and nothing else`,
    );
  };
}

interface Ended {
  /** `exit code 1`, `SIGTERM`. */
  readonly status: string;
  readonly stdout: string;
  readonly stderr: string;
}

function run(command: string, timeoutMs: number, signal?: AbortSignal): Promise<Ended> {
  return new Promise((resolve, reject) => {
    // A group of its own, so that what the shell has started ends with it.
    const child = spawn(command, {
      shell: true,
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const stop = (why: string): void => {
      kill(child);
      reject(new Error(why));
    };
    const abort = (): void => stop('the probe was interrupted');
    signal?.addEventListener('abort', abort);
    const cancelTimeout = systemClock.after(timeoutMs, () =>
      stop(`the probe took longer than ${timeoutMs / 1000} s`),
    );
    const cancel = (): void => {
      cancelTimeout();
      signal?.removeEventListener('abort', abort);
    };
    const stdout = textOf(child.stdout);
    const stderr = textOf(child.stderr);
    child.once('error', () => {
      cancel();
      reject(new Error('the probe could not be started: there is no shell'));
    });
    child.once('close', (code, signal) => {
      cancel();
      const status = code === null ? String(signal) : `exit code ${code}`;
      resolve({ status, stdout: stdout(), stderr: stderr() });
    });
  });
}

/** Reads all, and keeps the beginning. */
function textOf(stream: NonNullable<ChildProcess['stdout']>): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < maxOutput) text += chunk;
  });
  return () => text;
}

function kill(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
  try {
    if (process.platform === 'win32') child.kill();
    else process.kill(-child.pid!, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

/** The first line of what a command wrote to standard error. */
function said(stderr: string): string {
  const [line = ''] = stderr.trim().split('\n');
  return line === '' ? '' : `: ${printable(line)}`;
}

const maxShown = 120;

/** On one line, without the credentials of a database URL. */
function printable(text: string): string {
  const line = text.replace(/\p{C}+/gu, ' ').replace(/\/\/[^\s/@]*@/g, '//***@');
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line;
}
