import { PassThrough } from 'node:stream';
import { main } from '../../src/cli.js';
import type { CliOptions, CliResult } from './cli.js';

/**
 * Runs the program to its end without a process of its own, which takes milliseconds. Commands that send
 * many events look for their files in the folder of the real process, not in `cwd`: name these in full.
 */
export async function inProcess(
  args: readonly string[],
  { cwd = process.cwd(), env = {}, stdin = '' }: CliOptions = {},
): Promise<CliResult> {
  const stdout = collected();
  const stderr = collected();
  let code = 0;
  await main(['node', 'evfwd', ...args], {
    stdin: new PassThrough().end(stdin),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env,
    cwd,
    exit: (given) => {
      code = given;
    },
  });
  return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() };
}

function collected() {
  const chunks: Buffer[] = [];
  const stream = new PassThrough();
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}
