import { readFile } from 'node:fs/promises';
import { parse, resolve } from 'node:path';
import type { SampleText } from '../../check/senders/parse-sample.js';
import { UsageError } from '../../errors.js';
import { printable } from '../../output/printable.js';

/** The files of `--body`. @throws UsageError for one that cannot be read */
export function readSamples(paths: readonly string[], cwd: string): Promise<SampleText[]> {
  return Promise.all(paths.map((path) => readSample(path, cwd)));
}

async function readSample(path: string, cwd: string): Promise<SampleText> {
  const where = `--body ${printable(path)}`;
  try {
    const text = await readFile(resolve(cwd, path), 'utf8');
    return { name: parse(path).name, text, where };
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    throw new UsageError(`${where}: cannot be read (${code}); check the path`, 'bad_body', {
      cause,
    });
  }
}
