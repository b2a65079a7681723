import { readFile } from 'node:fs/promises';
import { parse, resolve } from 'node:path';
import type { IdPlace } from '../../check/id-place.js';
import { sampleSender, type SampleText } from '../../check/senders/sample.js';
import { senderOf } from '../../check/senders/index.js';
import type { Sender } from '../../check/senders/sender.js';
import { UsageError } from '../../errors.js';
import { isHeaderName } from '../../http/header-rules.js';
import { printable } from '../../output/printable.js';
import type { Scheme } from '../../sign/schemes/scheme.js';
import type { CheckFlags } from './command.js';

/**
 * Whose events are sent: those of the scheme, or the samples of `--body`.
 * @throws UsageError for a sample that cannot be read or sent, and for an id that it does not have
 */
export async function senderFor(
  flags: Pick<CheckFlags, 'idPath' | 'idHeader'> & {
    readonly samples?: readonly string[] | undefined;
  },
  scheme: Scheme | undefined,
  url: URL,
  cwd: string,
): Promise<Sender> {
  const id = idPlace(flags);
  const [first, ...others] = await Promise.all(
    (flags.samples ?? []).map((path) => readSample(path, cwd)),
  );
  if (first) {
    const keepsPath = url.pathname === '/' && url.search === '';
    return sampleSender([first, ...others], { scheme, id, keepsPath });
  }
  if (!id) return senderOf(scheme);
  throw new UsageError('--id-path and --id-header are for --body; use them with it');
}

function idPlace({
  idPath,
  idHeader,
}: Pick<CheckFlags, 'idPath' | 'idHeader'>): IdPlace | undefined {
  if (idPath !== undefined && idHeader !== undefined) {
    throw new UsageError('--id-path and --id-header exclude each other; use one');
  }
  if (idHeader !== undefined && !isHeaderName(idHeader)) {
    throw new UsageError('--id-header: not the name of a header; use a name like X-Event-Id');
  }
  if (idHeader !== undefined) return { header: idHeader };
  return idPath === undefined ? undefined : { path: idPath.split('.') };
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
