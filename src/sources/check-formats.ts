import { UsageError } from '../errors.js';
import { SourceError } from './source-error.js';
import { ForeignFormatError } from './formats/refuse.js';
import { accessOf, type Input } from './input.js';
import { fileStart } from './lines.js';
import { throwIfRefused, type Refused } from './refused.js';
import { Source, type SourceOptions } from './source.js';

/** What a caller reads. */
export interface AcceptedFormats extends Pick<SourceOptions, 'accepts' | 'decodes'> {
  /** Whether the entries of zip archives are read. Default: as `decodes`. */
  readonly unpacks?: boolean;
}

/**
 * Reads the beginning of all files, so that nothing of any is sent if one is no event file. Sets their layout, and
 * returns them, with the entries of a zip archive in its place. Pipes are checked when they are read.
 *
 * @throws UsageError with the advice for the first of them, and the names of others
 */
export async function checkFormats(
  inputs: readonly Input[],
  formats: AcceptedFormats = {},
): Promise<Input[]> {
  const checked: Input[] = [];
  const refused: Refused[] = [];
  for (const input of inputs) await check(input, formats, checked, refused);
  throwIfRefused(refused, 'not event files either');
  return checked;
}

async function check(
  input: Input,
  formats: AcceptedFormats,
  checked: Input[],
  refused: Refused[],
): Promise<void> {
  if (!input.isFile) {
    checked.push(input);
    return;
  }
  const found = await lookInto(input, formats);
  if (!(found instanceof ForeignFormatError)) {
    checked.push(found);
    return;
  }
  const entries = await entriesOf(input, found, formats);
  if (!entries) refused.push({ name: input.name, error: found });
  for (const entry of entries ?? []) await check(entry, formats, checked, refused);
}

/** The input with its layout. A file that is damaged where it begins is reported when it is read. */
async function lookInto(
  input: Input,
  formats: AcceptedFormats,
): Promise<Input | ForeignFormatError> {
  const source = new Source(input, fileStart, formats);
  try {
    await source.begin();
    // Not a copy: of 100,000 inputs, copies would take 30 MB more.
    input.layout = source.layout ?? 'text';
    return input;
  } catch (error) {
    if (error instanceof ForeignFormatError) return error;
    throw error;
  } finally {
    await source.close();
  }
}

/** The files of an archive; undefined for what is none, or is itself in an archive. */
async function entriesOf(
  input: Input,
  { format, isCompressed }: ForeignFormatError,
  { decodes = true, unpacks = decodes }: AcceptedFormats,
): Promise<Input[] | undefined> {
  const access = format === 'zip' && !isCompressed && unpacks ? accessOf(input) : undefined;
  if (!access) return undefined;
  const { zipInputs } = await import('./zip-inputs.js');
  try {
    return await zipInputs(input, await access());
  } catch (error) {
    if (!(error instanceof SourceError || error instanceof UsageError)) throw error;
    const advice = error instanceof SourceError ? `; ${error.advice ?? 'fix the file'}` : '';
    const message = `${input.name}: ${error.message}${advice}`;
    throw new UsageError(message, 'unreadable_source', { cause: error });
  }
}
