import { fstatSync, writeSync } from 'node:fs';
import type { BriefOutput, Io } from './command.js';

/** The current process. Node opens a standard stream on first access, which takes 1 to 3 ms. */
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
      return opened || !canWriteSync() ? stdout() : withoutStream(stdout);
    },
    env: process.env,
    cwd: process.cwd(),
    exit: (code) => {
      process.exitCode = code;
    },
  };
}

const stdoutFile = 1;

/** True for pipes and files; a terminal has colors and columns, and Windows its own character set. */
function canWriteSync(): boolean {
  if (process.platform === 'win32') return false;
  try {
    return !fstatSync(stdoutFile).isCharacterDevice();
  } catch {
    return false;
  }
}

/** Falls back to the stream, which can wait for a full pipe and report a closed one. */
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

/** `| head -1` closes standard output early, which is not an error. */
function onBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
