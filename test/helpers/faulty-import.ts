import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import type { CommitStep } from '../../src/ledger/committer.js';
import { program } from './cli.js';
import { watched, type ImportProcess } from './process.js';

/** Where to end: the n-th time, from 1, that a commit reaches this step. */
export interface Fault {
  readonly step: CommitStep;
  readonly time: number;
}

/** Starts an import of webhooks that kills itself there; `more` are flags as commander parses them. */
export function startFaulty(
  files: string[],
  url: string,
  fault: Fault,
  cwd: string,
  more: object = {},
): ImportProcess {
  const flags = { url: [url], ids: 'keep', concurrency: 64, json: true, ...more };
  const given = JSON.stringify({ files, flags, ...fault });
  const { PATH = '', HOME = '' } = process.env;
  // A file, for its worker threads would inherit `--input-type`, which their files refuse.
  const file = join(cwd, 'faulty-import.mjs');
  writeFileSync(file, source);
  const child = spawn(process.execPath, [file, given], { cwd, env: { PATH, HOME } });
  return watched(child);
}

const built = pathToFileURL(join(program, '../../dist/cli/import-run.cjs')).href;

/** A minimal program that passes `onStep`; it runs on the built files. */
const source = `
import { importFiles } from ${JSON.stringify(built)};
const { files, flags, step, time } = JSON.parse(process.argv.at(-1));
let times = 0;
const onStep = (reached) => {
  if (reached === step && ++times === time) process.kill(process.pid, 'SIGKILL');
};
const { stdin, stdout, stderr } = process;
const io = { stdin, stdout, stderr, env: {}, cwd: process.cwd(), exit: (code) => (process.exitCode = code) };
await importFiles(files, flags, io, { onStep });
`;
