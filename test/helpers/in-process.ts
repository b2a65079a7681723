import { PassThrough } from 'node:stream';
import { isMainThread } from 'node:worker_threads';
import { main } from '../../src/cli.js';
import type { CliOptions, CliResult } from './cli.js';

const folder = process.cwd();

/**
 * Runs the program to its end in this process, which takes milliseconds. Some commands look
 * for their files in the folder of the process: only in the project `process` are these found in `cwd`.
 */
export async function inProcess(
  args: readonly string[],
  { cwd = folder, env = {}, stdin = '' }: CliOptions = {},
): Promise<CliResult> {
  const stdout = collected();
  const stderr = collected();
  let code = 0;
  const exit = (given: number): void => {
    code = given;
  };
  const io = { stdin: new PassThrough().end(stdin), stdout: stdout.stream, stderr: stderr.stream };
  // Threads cannot change it.
  if (isMainThread) process.chdir(cwd);
  try {
    await main(['node', 'evfwd', ...args], { ...io, env, cwd, exit });
  } finally {
    if (isMainThread) process.chdir(folder);
  }
  return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() };
}

function collected() {
  const chunks: Buffer[] = [];
  const stream = new PassThrough();
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}
