import type { Command } from 'commander';
import { defaults } from '../../defaults.js';
import type { EventFlags } from '../../events/build.js';
import type { Io } from '../shared/command.js';
import { knownType } from '../shared/event-type.js';
import { collect } from '../shared/flag-values.js';
import { parseExpectedStatus, type ExpectedStatus } from './expect-status-flag.js';
import { addExamples, addOutputFlags, say, type OutputFlags } from '../shared/flags.js';
import { MissingTargetError } from '../../config/missing-target.js';
import { openTarget, type TargetSettings } from '../../config/open-target.js';
import type { Outgoing } from '../../delivery/target.js';
import { UsageError } from '../../errors.js';
import { missingTarget } from '../shared/missing.js';
import { addTargetFlags, resolveTarget, type TargetFlags } from '../shared/target-flags.js';

type SendFlags = TargetFlags &
  OutputFlags &
  Omit<EventFlags, 'type'> & { dryRun?: boolean; curl?: boolean; expectStatus?: ExpectedStatus };

export function define(command: Command, io: Io): void {
  command.argument('[type]', 'identify, track, page, screen, group, alias or delete', knownType);
  addEventFlags(command);
  addTargetFlags(command, defaults.sendRetryWindow);
  addOutputFlags(command)
    .option('--dry-run', 'print the exact request; send nothing')
    .option('--curl', 'print the request as a curl command; send nothing')
    .option(
      '--expect-status <status>',
      'exit 0 if every URL responds so, 1 if not: e.g. 401 or 4xx',
      parseExpectedStatus,
    );
  addExamples(command, examples);
  command.action((type: string | undefined, flags: SendFlags) => send(type, flags, io));
}

function addEventFlags(command: Command): void {
  command
    .optionsGroup('Event:')
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
      'property (track, page, screen): k=text or k:=json; dots nest (repeatable)',
      collect,
    )
    .option(
      '-T, --trait <k=v>',
      'trait (identify, group): k=text or k:=json; dots nest (repeatable)',
      collect,
    )
    .option('--properties <json>', 'all properties: a JSON object, or @file')
    .option('--traits <json>', 'all traits: a JSON object, or @file')
    .option('--context <json>', 'context: a JSON object, or @file')
    .option('--integrations <json>', 'integrations: a JSON object, or @file')
    .option('--data <json>', 'whole event: JSON, @file, or - for standard input')
    .option('--fixture <name>', 'built-in event; evfwd fixtures lists them');
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
  checkTogether(flags);
  const settings = await resolveTarget(flags, io, 0).catch(missingTarget);
  const isMissing = settings instanceof MissingTargetError;
  const { buildOutgoing } = await import('./event.js');
  const outgoing = await buildOutgoing(type, flags, io, isMissing ? settings : undefined);
  if (isMissing) throw settings;
  if (flags.dryRun || flags.curl) {
    const { previewRequests } = await import('./preview.js');
    previewRequests(settings, outgoing, flags, io);
    return;
  }
  await deliver(settings, outgoing, flags, io);
}

/** `--json` describes a request or a result, and `--curl` prints neither. */
function checkTogether({ curl, dryRun, json, expectStatus }: SendFlags): void {
  const beside = json ? '--json' : dryRun && '--dry-run';
  if (curl && beside)
    throw new UsageError(`--curl and ${beside} cannot be combined; use one of them`);
  const preview = curl ? '--curl' : dryRun && '--dry-run';
  if (expectStatus && preview) {
    throw new UsageError(
      `--expect-status needs a response, and ${preview} sends nothing; use one of them`,
    );
  }
}

async function deliver(
  settings: TargetSettings,
  outgoing: Outgoing,
  flags: SendFlags,
  io: Io,
): Promise<void> {
  const { expectStatus } = flags;
  const { reportOutcome } = await import('./report.js');
  const { reportExpectation } = await import('./expected-status.js');
  const { attemptLines } = await import('../shared/attempt-line.js');
  // Without allUrls, the response of one URL could end the attempts at the others.
  const allUrls = settings.allUrls || expectStatus !== undefined;
  const target = await openTarget(
    { ...settings, allUrls },
    {
      concurrency: 1,
      onAttempt: (result) => {
        if (flags.verbose) say(io, attemptLines(result));
      },
    },
  );
  try {
    const done = new Promise<Parameters<typeof reportOutcome>[0]>((resolve) =>
      target.send(outgoing, resolve),
    );
    await target.drain();
    const outcome = await done;
    if (expectStatus) await reportExpectation(expectStatus, { outcome, outgoing }, flags, io);
    else await reportOutcome(outcome, outgoing, flags, io);
  } finally {
    await target.close();
  }
}
