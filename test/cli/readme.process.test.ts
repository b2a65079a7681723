import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { program } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { startReceiver } from '../helpers/receiver.js';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

interface Example {
  readonly command: string;
  readonly output: string;
}

/** The `$` lines of the transcripts, in order, each with what the page says it prints. */
function examples(): Example[] {
  const blocks = [...readme.matchAll(/```console\n([^]*?)```/g)].map((match) => match[1]!);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((example) => {
        const [command = '', ...output] = example.split('\n');
        return { command, output: output.join('\n').trim() };
      }),
  );
}

/** Times and ports differ from run to run; everything else must not. */
function settled(text: string): string {
  return text
    .replace(/localhost:\d+/g, 'localhost')
    .replace(/^in .*$/m, 'in …')
    .replace(/[\d.]+ ms/g, 'ms')
    .trim();
}

describe('README', () => {
  it('has examples that do what it says, pasted one after the other', async () => {
    const receiver = await startReceiver();
    const port = new URL(receiver.url).port;
    const cwd = folderWith();
    symlinkSync(program, `${cwd}/evfwd`);
    const env = { ...process.env, PATH: `${cwd}:${process.env.PATH ?? ''}`, NO_COLOR: '1' };
    const found = examples();
    expect(found.length).toBeGreaterThan(8);
    for (const { command, output } of found) {
      const line = `${command.replace('localhost:3000', `localhost:${port}`)} 2>&1`;
      const run = promisify(execFile)('bash', ['-c', line], { cwd, env });
      const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
      expect(settled(stdout), command).toBe(settled(output));
    }
    await receiver.close();
  });
});
