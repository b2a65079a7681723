import { exitCodes } from '../../errors.js';
import { writeSlowly } from '../../output/write-slowly.js';
import { remark, type RunsContext } from './context.js';
import { findRun, removed } from './find-run.js';

/** So many lines are in memory at a time; one has at most a few hundred kilobytes. */
const pageSize = 200;

/** Prints the dead letters of a run, those that are added meanwhile included. */
export async function deadLetters(context: RunsContext, typed: string): Promise<number> {
  const { store, io } = context;
  const { id } = await findRun(context, typed);
  let printed = 0;
  for (;;) {
    const page = await store.deadLetters(id, printed, pageSize);
    printed += page.length;
    if (page.length > 0) await writeSlowly(io.stdout, Buffer.concat(page.map(asLine)));
    // The reader of the pipe, such as `head`, may have closed it.
    if (!io.stdout.writable) return exitCodes.ok;
    if (page.length < pageSize) break;
  }
  // Of a run that is removed meanwhile, the rest would be missing silently.
  if (!(await store.find(id))) throw removed(id);
  if (printed === 0) remark(context, `${id} has no dead letters`);
  return exitCodes.ok;
}

const newline = 0x0a;

function asLine(line: Buffer): Buffer {
  return line.at(-1) === newline ? line : Buffer.concat([line, Buffer.of(newline)]);
}
