import type { AttemptLog } from '../../ledger/attempt-log.js';

/** The file of `--log`; undefined without one. Imported late: it takes 10 ms to load, and most runs have no log. */
export async function openLog(
  path: string | undefined,
  resumes: boolean,
): Promise<AttemptLog | undefined> {
  if (path === undefined) return undefined;
  const { AttemptLog } = await import('../../ledger/attempt-log.js');
  return new AttemptLog(path, resumes);
}
