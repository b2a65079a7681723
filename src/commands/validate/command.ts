import type { Command } from 'commander';
import { exitCodes } from '../../errors.js';
import type { Event, Problem } from '../../events/event.js';
import type { Selection } from '../../events/select.js';
import type { Transform } from '../../events/transform.js';
import { printable } from '../../output/printable.js';
import { writeSlowly } from '../../output/write-slowly.js';
import type { Io } from '../shared/command.js';
import { addFlags, recordFlags, type TypedFlag } from '../flags/flag.js';
import { addOutputFlags, type OutputFlags } from '../flags/output.js';
import { changeFlags, transformFlag, whereFlag } from '../flags/changes.js';
import { mapFlags, sourceFlags } from '../flags/source.js';
import { addExamples } from '../shared/examples.js';
import { print, say } from '../shared/output.js';
import type { ChangeFlags } from '../shared/changes.js';
import { addSourceArguments, type SourceFlags } from '../shared/source-flags.js';

interface ValidateFlags extends OutputFlags, SourceFlags, ChangeFlags {
  where?: string[];
  transform?: string;
}

export function define(command: Command, io: Io): void {
  addSourceArguments(command);
  addFlags(command, [...sourceFlags(), ...Object.values(mapFlags)], 'Source:');
  addFlags(command, [whereFlag], 'Selection:');
  addFlags(command, [...Object.values(changeFlags), transformFlag], 'Changes:');
  addOutputFlags(command);
  addExamples(command, [
    ['before an import', 'evfwd validate history-*.ndjson.gz'],
    [
      'count problems by code',
      "evfwd validate history.ndjson --json | jq -r 'select(.code).code' | sort | uniq -c",
    ],
  ]);
  const typed = recordFlags(command);
  command.action((files: string[], flags: ValidateFlags) => validate(files, flags, typed, io));
}

/** A problem with its position. */
interface Finding {
  readonly file: string;
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

interface Counts {
  read: number;
  invalid: number;
  /** Truncated files. */
  broken: number;
}

async function validate(
  files: string[],
  flags: ValidateFlags,
  typed: readonly TypedFlag[],
  io: Io,
): Promise<void> {
  const { findSources } = await import('../shared/sources.js');
  const { checkInput } = await import('../../sources/check.js');
  const { resolveChanges, vendorFilesOf } = await import('../shared/changes.js');
  const { RecordParser } = await import('../../steps/changes.js');
  const show = flags.json ? asJson : asText;
  const counts: Counts = { read: 0, invalid: 0, broken: 0 };
  const changes = await resolveChanges(typed, flags, io.cwd);
  const { where } = flags;
  const isChanged = changes !== undefined || where !== undefined;
  const selection = { ...(where && { where }) };
  const transform =
    flags.transform === undefined ? undefined : await transformAt(flags.transform, selection);
  const parser =
    isChanged &&
    new RecordParser(
      { ...(changes ?? { steps: [], hashKey: undefined }), selection },
      { keepsRecords: transform !== undefined },
    );
  const results = new Results(flags, io);
  const sources = { ...flags, vendorFiles: await vendorFilesOf(changes) };
  for (const input of await findSources(files, sources, io)) {
    const batches = checkInput(input, {
      stdin: io.stdin,
      ...(parser && { parse: parser.parse }),
      transform,
      onBroken: ({ file, lines, code, message }) => {
        counts.broken++;
        const what = message.slice(`${file}: `.length);
        print(io, show({ file, line: lines + 1, code, message: what }));
      },
    });
    for await (const { read, problems, made = [] } of batches) {
      counts.read += read;
      counts.invalid += problems.length;
      for (const event of made) results.show(event);
      await list(problems, show, io);
    }
    if (flags.verbose) say(io, `${input.name}: read to its end`);
  }
  for (const text of parser ? parser.warnings() : []) say(io, `warning: ${text}`);
  await conclude(counts, flags, io);
}

/** Selects what is made of records that were no events; the parser has selected the others. */
async function transformAt(path: string, selection: Selection): Promise<Transform> {
  const { loadTransform, selectAndTransform } = await import('../../events/transform.js');
  const { selector } = await import('../../events/select.js');
  const transform = await loadTransform(path);
  const selectors = { isSelected: () => true, isSelectedAfter: selector(selection) };
  return (item) => selectAndTransform(item, transform, selectors);
}

/** How many results of a transform are shown without `--verbose`. */
const shownResults = 3;

/** Shows what a transform has made. */
class Results {
  readonly #flags: OutputFlags;
  readonly #io: Io;
  #shown = 0;

  constructor(flags: OutputFlags, io: Io) {
    this.#flags = flags;
    this.#io = io;
  }

  show({ origin: { file, line }, bytes }: Event): void {
    const { json, quiet, verbose } = this.#flags;
    if (quiet || (!verbose && this.#shown === shownResults)) return;
    this.#shown++;
    const event = bytes.toString();
    const place = JSON.stringify({ type: 'result', file, line }).slice(0, -1);
    if (json) print(this.#io, `${place},"event":${event}}`);
    else say(this.#io, `${printable(file)}:${line}: ${printable(event)}`);
  }
}

async function list(
  problems: readonly Problem[],
  show: (finding: Finding) => string,
  io: Io,
): Promise<void> {
  if (problems.length === 0) return;
  const lines = problems.map(({ origin, code, message }) =>
    show({ file: origin.file, line: origin.line, code, message }),
  );
  await writeSlowly(io.stdout, `${lines.join('\n')}\n`);
}

async function conclude(
  { read, invalid, broken }: Counts,
  flags: OutputFlags,
  io: Io,
): Promise<void> {
  const summary = { read, valid: read - invalid, invalid };
  if (flags.json) print(io, JSON.stringify({ type: 'summary', ...summary }));
  else if (!flags.quiet) await sumUp({ ...summary, broken }, flags, io);
  io.exit(invalid + broken > 0 ? exitCodes.negative : exitCodes.ok);
}

async function sumUp(
  { read, valid, invalid, broken }: Counts & { valid: number },
  flags: OutputFlags,
  io: Io,
): Promise<void> {
  const { colors } = await import('../../output/text.js');
  const { count, countOf } = await import('../../output/numbers.js');
  const paint = await colors(io.stdout, io.env, flags.color);
  const verdict =
    invalid === 0
      ? paint.green('all valid')
      : `${count(valid)} valid, ${paint.red(`${count(invalid)} invalid`)}`;
  const rest = broken === 0 ? '' : paint.red(`; ${countOf(broken, 'file')} not read to the end`);
  print(io, `${countOf(read, 'event')}: ${verdict}${rest}`);
}

function asJson({ file, line, code, message }: Finding): string {
  return JSON.stringify({ type: 'problem', file, line, code, message });
}

function asText({ file, line, code, message }: Finding): string {
  return `${printable(file)}:${line}: ${printable(message)} (${code})`;
}
