import { fstatSync, writeSync } from 'node:fs';
import type { BriefOutput, Io } from './command.js';

/** The process that runs. Node opens a stream when it is first named, which takes 1 to 3 ms. */
export function processIo(): Io {
  let opened: NodeJS.WriteStream | undefined;
  const stdout = () => (opened ??= guarded(process.stdout));
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return stdout();
    },
    get stderr() {
      return guarded(process.stderr);
    },
    get brief() {
      return opened || !isWrittenAtOnce() ? stdout() : withoutStream(stdout);
    },
    env: process.env,
    cwd: process.cwd(),
    exit: (code) => {
      process.exitCode = code;
    },
  };
}

const stdoutFile = 1;

/** Pipes and files are; a terminal has colours and columns, and Windows a character set of its own. */
function isWrittenAtOnce(): boolean {
  if (process.platform === 'win32') return false;
  try {
    return !fstatSync(stdoutFile).isCharacterDevice();
  } catch {
    return false;
  }
}

/** Leaves to the stream what it alone can do: wait where a pipe is full, and tell who has closed it. */
function withoutStream(stdout: () => NodeJS.WriteStream): BriefOutput {
  return {
    write(text) {
      let rest = Buffer.from(text);
      try {
        while (rest.length > 0) rest = rest.subarray(writeSync(stdoutFile, rest));
      } catch {
        stdout().write(rest);
      }
    },
  };
}

function guarded(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  if (stream.listenerCount('error', onBrokenPipe) === 0) stream.on('error', onBrokenPipe);
  return stream;
}

/** `| head -1` closes standard output early, which is no error of ours. */
function onBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
