import { UsageError } from '../../errors.js';
import { checkFormats } from '../../sources/check-formats.js';
import type { Input } from '../../sources/input.js';
import { checkLastLine, lastLineOf } from '../../ledger/last-line.js';
import type { SingleItemKind } from '../../ledger/item-kind.js';
import { checkHar, isHarFile, readCaptures } from '../../replay/read-captures.js';
import type { Io } from '../shared/command.js';
import { findNamed } from '../shared/sources.js';
import type { ReplayFlags } from './flags.js';

/** The inputs of a replay, and which of them are HAR files. */
export interface Captures {
  readonly inputs: readonly Input[];
  readonly hars: ReadonlySet<Input>;
}

/** @throws UsageError when there are none, or one cannot be read or is neither a capture nor HAR */
export async function findCaptures(files: string[], flags: ReplayFlags, io: Io): Promise<Captures> {
  const kind = { files: 'captures or HAR files', items: 'requests' };
  const named = await findNamed(files, flags, io, kind);
  const reads = { decodes: false, unpacks: true };
  const inputs = await checkFormats(named, { ...reads, accepts: ['har', 'json-object'] });
  const hars = new Set<Input>();
  for (const input of inputs) if (await isHarFile(input)) hars.add(input);
  await checkFormats(
    inputs.filter((input) => !hars.has(input)),
    reads,
  );
  for (const input of hars) await checkHar(input);
  return { inputs, hars };
}

/** As `checkLastLine`, for captures; entries of a HAR file are told by their number. */
export function lastCaptureCheck(
  hars: Captures['hars'],
  items: SingleItemKind,
): typeof checkLastLine {
  return async (input, last, isModified) => {
    if (!hars.has(input)) {
      await checkLastLine(input, last, isModified, items);
      return;
    }
    if (!isModified) return;
    for await (const [item] of readCaptures([input], items)) {
      if (item?.origin.line === last.line && lastLineOf(item).hash === last.hash) return;
    }
    throw new UsageError(
      `${input.name}:${last.line}: the last entry that was read has changed since; restore it, or start over with --fresh`,
      'file_changed',
    );
  };
}
