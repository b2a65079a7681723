import type { Command } from 'commander';
import { defaults } from '../../defaults.js';
import type { EventFlags } from '../../events/build.js';
import type { Io } from '../shared/command.js';
import { knownType } from '../shared/event-type.js';
import { collect } from '../shared/flag-values.js';
import { addExamples, addOutputFlags, say, type OutputFlags } from '../shared/flags.js';
import { openTarget } from '../../config/open-target.js';
import { addTargetFlags, resolveTarget, type TargetFlags } from '../shared/target-flags.js';

type SendFlags = TargetFlags &
  OutputFlags &
  Omit<EventFlags, 'type'> & { dryRun?: boolean; curl?: boolean };

export function define(command: Command, io: Io): void {
  command.argument('[type]', 'identify, track, page, screen, group, alias or delete', knownType);
  addEventFlags(command);
  addTargetFlags(command, defaults.sendRetryWindow);
  addOutputFlags(command)
    .option('--dry-run', 'print the exact request; send nothing')
    .option('--curl', 'print the request as a curl command; send nothing');
  addExamples(command, examples);
  command.action((type: string | undefined, flags: SendFlags) => send(type, flags, io));
}

function addEventFlags(command: Command): void {
  command
    .option('--user-id <id>', 'user ID')
    .option('--anonymous-id <id>', 'anonymous ID')
    .option('--event <name>', 'event name (track)')
    .option('--name <name>', 'page or screen name')
    .option('--category <name>', 'page or screen category')
    .option('--group-id <id>', 'group ID (group)')
    .option('--previous-id <id>', 'previous user ID (alias)')
    .option('--message-id <id>', 'message ID (default: random)')
    .option('--timestamp <time>', 'ISO 8601 time with zone (default: now)')
    .option(
      '-P, --property <k=v>',
      'text property, or k:=json for JSON; dots nest (repeatable)',
      collect,
    )
    .option('-T, --trait <k=v>', 'like --property, for traits', collect)
    .option('--properties <json>', 'properties: a JSON object, or @file')
    .option('--traits <json>', 'traits: a JSON object, or @file')
    .option('--context <json>', 'context: a JSON object, or @file')
    .option('--integrations <json>', 'integrations: a JSON object, or @file')
    .option('--data <json>', 'whole event: JSON, @file, or - for standard input')
    .option('--fixture <name>', 'built-in event; list them with evfwd fixtures');
}

const examples: readonly (readonly [string, string])[] = [
  [
    'a signed track call to your own endpoint',
    "evfwd send track --event 'Order Completed' --user-id u1 -P total:=12.5 --url http://localhost:3000/hook --secret-file secret.txt",
  ],
  [
    'a built-in event as a dry run',
    'evfwd send --fixture track --url http://localhost:3000/hook --dry-run',
  ],
  ['a deletion notice', 'evfwd send delete --user-id u1 --url http://localhost:3000/hook'],
  [
    'print a request as a curl command',
    'evfwd send --data @event.json --url http://localhost:3000/hook --curl',
  ],
];

async function send(type: string | undefined, flags: SendFlags, io: Io): Promise<void> {
  const settings = await resolveTarget(flags, io, 0);
  const { buildOutgoing } = await import('./event.js');
  const outgoing = await buildOutgoing(type, flags, io);
  if (flags.dryRun || flags.curl) {
    const { previewRequests } = await import('./preview.js');
    previewRequests(settings, outgoing, flags, io);
    return;
  }
  const { reportOutcome } = await import('./report.js');
  const { attemptLine } = await import('../shared/attempt-line.js');
  const target = await openTarget(settings, {
    concurrency: 1,
    onAttempt: (result) => {
      if (flags.verbose) say(io, attemptLine(result));
    },
  });
  try {
    const done = new Promise<Parameters<typeof reportOutcome>[0]>((resolve) =>
      target.send(outgoing, resolve),
    );
    await target.drain();
    await reportOutcome(await done, outgoing, flags, io);
  } finally {
    await target.close();
  }
}
