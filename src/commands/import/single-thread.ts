import { openTarget } from '../../config/open-target.js';
import { readBatches } from '../../sources/read.js';
import { recordItems } from '../../ledger/item-kind.js';
import { RecordParser } from '../../steps/changes.js';
import type { Item } from '../../events/event.js';
import { attemptsOf, problemOf } from '../../importer/reported-event.js';
import { SingleThreadRun, unflushedCommits } from '../../run/single-thread.js';
import {
  canReread,
  changesIn,
  isSelected,
  maxUncommitted,
  rowFilesOf,
  readingOf,
  urlsOf,
  type ImportListener,
  type ImportParts,
} from './parts.js';

/** The parser selects, before it changes anything. */
const all = (): boolean => true;

/** With `--ordered`: the next event of a user waits for the one before it, so batches rarely fill. */
const orderedFlushMs = 10;

/** An import in this thread alone, for ordered sending and for small files. */
export function singleThreadImport(parts: ImportParts, listener: ImportListener): SingleThreadRun {
  const { inputs, settings, state, log, onStep, platform, flags, transform, schedule } = parts;
  const rereadable = canReread(parts);
  const changes = changesIn(parts);
  const parser = changes && new RecordParser(changes, { keepsRecords: transform !== undefined });
  return new SingleThreadRun({
    ...unflushedCommits(state, { maxUncommitted: maxUncommitted[settings.kind], onStep }),
    ...{ transform, log, listener, schedule, clock: platform.clock },
    isResumable: state.isResumable,
    openSource: (interrupted) =>
      readBatches<Item>(inputs, {
        ...readingOf(parts, listener, interrupted),
        parse: parser?.parse,
      }),
    // What a transform has made is not changed again.
    items: parser && !transform ? recordItems(parser.parse) : undefined,
    rowFiles: rowFilesOf(parts),
    deadLettersChanged: flags.deadLetterChanged,
    openTarget: (events) =>
      openTarget(settings, {
        ...{ ...events, platform, concurrency: flags.concurrency },
        returnsRetries: true,
        disablesOnGone: true,
        ...(flags.ordered && { flushAfterMs: orderedFlushMs }),
      }),
    files: inputs.map(({ name }) => name),
    canReread: (file) => rereadable[file] === true,
    isSelected: parser ? all : isSelected(parts),
    isSelectedAfter: isSelected(parts),
    limit: flags.limit ?? Infinity,
    stamp: { ids: flags.ids, seed: state.seed },
    rate: flags.rate,
    isOrdered: flags.ordered === true,
    urls: urlsOf(parts),
    warnings: () => parser?.warnings() ?? [],
    onProblem: (outcome, item) => listener.problem(() => problemOf(outcome, item)),
    ...(flags.verbose && {
      onAttempts: (outcome, item) =>
        attemptsOf(outcome, item).forEach((attempt) => listener.attempt(attempt)),
    }),
  });
}
