import type { Command } from 'commander';
import { defaults } from '../../defaults.js';
import type { EventFlags } from '../../events/build.js';
import { fixtureNames } from '../../fixtures/fixtures.js';
import type { Io } from '../shared/command.js';
import { knownType } from '../shared/event-type.js';
import { collect } from '../shared/flag-values.js';
import { parseExpectedStatus, type ExpectedStatus } from './expect-status-flag.js';
import { addFlags, flag } from '../flags/flag.js';
import { addOutputFlags, outputFlags, type OutputFlags } from '../flags/output.js';
import { methods } from '../flags/signing.js';
import { targetFlags } from '../flags/target.js';
import { addExamples } from '../shared/flags.js';
import { MissingTargetError } from '../../config/missing-target.js';
import { openTarget } from '../../config/open-target.js';
import { UsageError } from '../../errors.js';
import { missingTarget } from '../shared/missing.js';
import { resolveTarget, type TargetFlags } from '../shared/target-flags.js';
import { warnOfVisibleSecret } from '../shared/secret-flags.js';

type SendFlags = TargetFlags &
  OutputFlags &
  Omit<EventFlags, 'type'> & {
    dryRun?: boolean;
    curl?: boolean;
    expectStatus?: ExpectedStatus;
    raw?: string;
    method?: string;
    contentType?: string;
  };

/** Values in JSON, of which a file can have a long one. */
const ofJson = { completes: 'at-files' } as const;

const eventFlags = [
  flag('--user-id <id>', 'user ID'),
  flag('--anonymous-id <id>', 'anonymous ID'),
  flag('--event <name>', 'event name (track)'),
  flag('--name <name>', 'page or screen name'),
  flag('--category <name>', 'page or screen category'),
  flag('--group-id <id>', 'group ID (group)'),
  flag('--previous-id <id>', 'previous user ID (alias)'),
  flag('--message-id <id>', 'message ID (default: random)'),
  flag('--timestamp <time>', 'ISO 8601 time with zone (default: now)'),
  flag(
    '-P, --property <k=v>',
    'property (track, page, screen): k=text or k:=json; dots nest (repeatable)',
    { parse: collect },
  ),
  flag('-T, --trait <k=v>', 'trait (identify, group): k=text or k:=json; dots nest (repeatable)', {
    parse: collect,
  }),
  flag('--properties <json>', 'all properties: a JSON object, or @file', ofJson),
  flag('--traits <json>', 'all traits: a JSON object, or @file', ofJson),
  flag('--context <json>', 'context: a JSON object, or @file', ofJson),
  flag('--integrations <json>', 'integrations: a JSON object, or @file', ofJson),
  flag('--data <json>', 'whole event: JSON, @file, or - for standard input', {
    ...ofJson,
    once: true,
  }),
  flag('--fixture <name>', 'built-in event; evfwd fixtures lists them', {
    once: true,
    values: fixtureNames,
  }),
];

const rawFlags = [
  flag('--raw <file>', 'send this body as it is, nothing checked; - for standard input'),
  flag('--method <method>', 'with --raw: the method (default: POST)', { values: methods }),
  flag('--content-type <type>', 'with --raw: the content type (default: application/json)'),
];

const resultFlags = [
  ...Object.values(outputFlags),
  flag('--dry-run', 'print the exact request; send nothing'),
  flag('--curl', 'print the request as a curl command; send nothing'),
  flag('--expect-status <status>', 'exit 0 if every URL responds so, 1 if not: e.g. 401 or 4xx', {
    parse: parseExpectedStatus,
    values: ['2xx', '4xx', '401'],
  }),
];

export function define(command: Command, io: Io): void {
  command.argument('[type]', 'identify, track, page, screen, group, alias or delete', knownType);
  addFlags(command, [...eventFlags, ...rawFlags], 'Event:');
  addFlags(command, Object.values(targetFlags(defaults.sendRetryWindow)), 'Target:');
  addOutputFlags(command, resultFlags);
  addExamples(command, examples);
  command.action((type: string | undefined, flags: SendFlags) => send(type, flags, io));
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
  [
    'any body as it is, signed as GitHub does',
    'evfwd send --raw push.json --url http://localhost:3000/hook --scheme github --secret-file secret.txt',
  ],
  ['a deletion notice', 'evfwd send delete --user-id u1 --url http://localhost:3000/hook'],
  [
    'print a request as a curl command',
    'evfwd send --data @event.json --url http://localhost:3000/hook --curl',
  ],
];

async function send(type: string | undefined, flags: SendFlags, io: Io): Promise<void> {
  checkTogether(flags);
  checkRaw(type, flags);
  const settings = await resolveTarget(flags, io, 0).catch(missingTarget);
  const isMissing = settings instanceof MissingTargetError;
  if (flags.raw !== undefined) {
    if (isMissing) throw settings;
    const { sendRaw } = await import('./raw.js');
    await sendRaw(flags, settings, io);
    return;
  }
  const { buildOutgoing } = await import('./event.js');
  const outgoing = await buildOutgoing(type, flags, io, isMissing ? settings : undefined);
  if (isMissing) throw settings;
  if (flags.dryRun || flags.curl) {
    const { previewRequests } = await import('./preview.js');
    previewRequests(settings, outgoing, flags, io);
    warnOfVisibleSecret(flags, io);
    return;
  }
  // Without allUrls, the response of one URL could end the attempts at the others.
  const allUrls = settings.allUrls || flags.expectStatus !== undefined;
  const { deliver } = await import('./deliver.js');
  await deliver((options) => openTarget({ ...settings, allUrls }, options), outgoing, flags, io);
}

/** A body that is sent as it is has no place for what other flags say about an event. */
function checkRaw(type: string | undefined, flags: SendFlags): void {
  if (flags.raw === undefined) {
    const alone = flags.method === undefined ? '--content-type' : '--method';
    if ((flags.method ?? flags.contentType) === undefined) return;
    throw new UsageError(`${alone} needs --raw, the body that is sent as it is; use both`);
  }
  const beside = type === undefined ? notWithRaw.find((name) => flags[name] !== undefined) : 'type';
  if (beside === undefined) return;
  const name = beside === 'type' ? `the type ${type}` : `--${kebabCase(beside)}`;
  throw new UsageError(`--raw sends a body as it is; leave ${name} out`);
}

const notWithRaw = [
  ...(['userId', 'anonymousId', 'event', 'name', 'category', 'groupId', 'previousId'] as const),
  ...(['timestamp', 'property', 'trait', 'properties', 'traits', 'context'] as const),
  ...(['integrations', 'data', 'fixture', 'body', 'ignoreIntegrations'] as const),
  ...(['writeKey', 'endpoint'] as const),
];

function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
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
