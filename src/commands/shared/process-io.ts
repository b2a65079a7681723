import { fstatSync, writeSync } from 'node:fs';
import { BrokenOutput } from './broken-output.js';
import type { BriefOutput, Io } from './command.js';

/** The current process. Node opens a standard stream on first access, which takes 1 to 3 ms. */
export function processIo(): Io {
  const broken = new BrokenOutput();
  let opened: NodeJS.WriteStream | undefined;
  const stdout = () => (opened ??= process.stdout.on('error', broken.handle));
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return stdout();
    },
    get stderr() {
      return withoutErrors(process.stderr);
    },
    get brief() {
      return opened || !canWriteSync() ? stdout() : withoutStream(stdout);
    },
    env: process.env,
    cwd: process.cwd(),
    exit: (code) => {
      process.exitCode = broken.exitCode(code);
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

/** There is no place left to report an error of standard error. */
function withoutErrors(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  if (stream.listenerCount('error', ignore) === 0) stream.on('error', ignore);
  return stream;
}

function ignore(): void {
  // See `withoutErrors`.
}
