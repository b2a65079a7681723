import type { Command } from 'commander';
import { exitCodes } from '../../errors.js';
import type { EventType } from '../../events/event.js';
import { suggestion } from '../../nearest.js';
import { countOf } from '../../output/numbers.js';
import { printable } from '../../output/printable.js';
import { writeSlowly } from '../../output/write-slowly.js';
import { addFlags, flag } from '../flags/flag.js';
import { addOutputFlags, outputFlags, type OutputFlags } from '../flags/output.js';
import { whereFlag } from '../flags/changes.js';
import { checkPeriod, timeDetails, type GivenTime } from '../flags/run.js';
import { selectionFlags } from '../flags/selection.js';
import { notShared, storeFlags } from '../flags/store.js';
import type { Io } from '../shared/command.js';
import { addExamples } from '../shared/examples.js';
import { collectList, invalidValue } from '../shared/flag-values.js';
import { say } from '../shared/output.js';
import { defaultStateDir } from '../shared/state-dir.js';
import { openKept, type KeptFlags } from './open-kept.js';

type Kind = 'events' | 'requests';

interface ExportFlags extends OutputFlags, KeptFlags {
  since?: GivenTime;
  until?: GivenTime;
  types?: EventType[];
  events?: string[];
  users?: string[];
  where?: string[];
  sources?: string[];
  only?: Kind;
}

const stateDirFlag = flag('--state-dir <dir>', 'state directory of evfwd serve', {
  default: defaultStateDir,
  insteadOfDash: 'use the name of a directory',
  excludes: notShared('--state-dir', 'events are kept in the store; leave it out'),
});
const { store, storeSchema, storeCa } = storeFlags;

const periodFlags = [
  flag(
    '--since <time>',
    'only what arrived at or after this time, e.g. 2026-10-01, 2026-10-01T08:00:00Z or 36h (before now)',
    timeDetails,
  ),
  flag('--until <time>', 'only what arrived before this time', timeDetails),
];

const ownFlags = [
  flag('--sources <list>', 'only of these sources of the service (repeatable)', {
    parse: collectList,
  }),
  flag('--only <kind>', 'only events, or only requests of raw sources', {
    parse: parseKind,
    values: ['events', 'requests'],
  }),
];

export function define(command: Command, io: Io): void {
  addFlags(command, [stateDirFlag, store, storeSchema, storeCa], 'Service:');
  addFlags(
    command,
    [...periodFlags, ...Object.values(selectionFlags), whereFlag, ...ownFlags],
    'Selection:',
  );
  addOutputFlags(command, [outputFlags.quiet]);
  command.addHelpText('after', details);
  addExamples(command, [
    [
      'the orders of the last day, sent to another place',
      "evfwd export --since 1d --where 'event=Order Completed' > orders.ndjson",
    ],
    [
      'the events of instances that share a store',
      'evfwd export --store postgres://evfwd@db.internal/evfwd > events.ndjson',
    ],
    [
      'requests of raw sources, sent again to an app on this machine',
      'evfwd export --only requests | evfwd replay - --url http://localhost:3000',
    ],
  ]);
  command.action((flags: ExportFlags) => exportKept(flags, io));
}

const details = `
Writes what evfwd serve keeps (retention in its configuration file) as NDJSON:
events, which import and validate read, and requests of raw sources as captures,
which replay reads. The service may run meanwhile; nothing is changed.`;

async function exportKept(flags: ExportFlags, io: Io): Promise<void> {
  const { selectionFrom } = await import('../../events/select.js');
  const { keptLine } = await import('../../serve/kept/line.js');
  const { keptSelector } = await import('../../serve/kept/selector.js');
  const { isRaw } = await import('../../serve/raw/raw-request.js');
  const { since, until, sources } = flags;
  checkPeriod(flags, Date.now());
  const isSelected = keptSelector({
    ...selectionFrom({ ...flags, since: since?.at, until: until?.at }),
    ...(sources && { sources }),
  });
  const isWithin = keptSelector({
    ...(since && { since: since.at }),
    ...(until && { until: until.at }),
  });
  const kept = await openKept(flags, io);
  const counts = { events: 0, requests: 0 };
  const seen = new Set<string>();
  try {
    for await (const { events, retentionMs } of kept.read({ since: since?.at, until: until?.at })) {
      const lines: Buffer[] = [];
      for (const event of events) {
        const kind: Kind = isRaw(event.event) ? 'requests' : 'events';
        // What is older is deleted soon.
        if (event.receivedAt <= kept.now - retentionMs) continue;
        if (sources && isWithin(event)) seen.add(event.source);
        if ((flags.only ?? kind) !== kind || !isSelected(event)) continue;
        const line = keptLine(event);
        if (!line) continue;
        lines.push(line);
        counts[kind]++;
      }
      if (lines.length > 0) await writeSlowly(io.stdout, Buffer.concat(lines));
      // The reader has enough, as with `| head`.
      if (!io.stdout.writable) break;
    }
  } finally {
    await kept.close();
  }
  if (!flags.quiet) {
    if (io.stdout.writable) for (const note of missingSources(flags, seen)) say(io, note);
    say(io, summaryOf(counts));
  }
  io.exit(exitCodes.ok);
}

/** The service may have sources of which nothing is kept, so one that is not found is no error. */
function missingSources(
  { sources = [], since, until }: ExportFlags,
  seen: ReadonlySet<string>,
): string[] {
  const names = [...seen].sort();
  const time = since || until ? ' from this time' : '';
  return [...new Set(sources)]
    .filter((source) => !seen.has(source))
    .map((source) => {
      const next = names.length > 0 ? `; ${suggestion(source, names)}` : '';
      return printable(`note: nothing of source ${source} is kept${time}${next}`);
    });
}

function summaryOf({ events, requests }: Readonly<Record<Kind, number>>): string {
  const both = [
    ...(events > 0 || requests === 0 ? [countOf(events, 'event')] : []),
    ...(requests > 0 ? [countOf(requests, 'request')] : []),
  ];
  const hint =
    both.length > 1 ? '; import reads the events and replay the requests, see --only' : '';
  return `exported ${both.join(' and ')}${hint}`;
}

function parseKind(text: string): Kind {
  if (text === 'events' || text === 'requests') return text;
  throw invalidValue(text, 'must be events or requests');
}
