import type { Command } from 'commander';
import { defaults } from '../../defaults.js';
import type { EventFlags } from '../../events/build.js';
import { eventTypes } from '../../events/event.js';
import type { Io } from '../shared/command.js';
import { knownType } from '../shared/event-type.js';
import { collect } from '../shared/flag-values.js';
import { parseExpectedStatus, type ExpectedStatus } from './expect-status-flag.js';
import type { Editor } from '../../steps/step.js';
import { changeFlags, stepKindOf } from '../flags/changes.js';
import { addFlags, flag, recordFlags, type Flag, type TypedFlag } from '../flags/flag.js';
import { addOutputFlags, outputFlags, type OutputFlags } from '../flags/output.js';
import { methods } from '../flags/signing.js';
import { targetFlags } from '../flags/target.js';
import { addExamples } from '../shared/examples.js';
import { MissingTargetError } from '../../config/missing-target.js';
import { openTarget, type OpenTargetOptions } from '../../config/open-target.js';
import type { Target } from '../../delivery/target.js';
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
    hashKeyFile?: string;
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
    values: eventTypes,
  }),
];

const raw = { flag: '--raw', reason: 'the body that is sent as it is' };

const rawFlags = [
  flag('--raw <file>', 'send this body as it is, nothing checked; - for standard input'),
  flag('--method <method>', 'with --raw: the method (default: POST)', {
    values: methods,
    needs: raw,
  }),
  flag('--content-type <type>', 'with --raw: the content type (default: application/json)', {
    needs: raw,
  }),
];

/** `--json` describes a request or a result, and `--curl` prints neither. */
function notWithCurl(other: string): string {
  return `--curl and ${other} cannot be combined; use one of them`;
}

function sendsNothing(other: string): string {
  return `--expect-status needs a response, and ${other} sends nothing; use one of them`;
}

const resultFlags = [
  ...Object.values(outputFlags),
  flag('--dry-run', 'print the exact request; send nothing'),
  flag('--curl', 'print the request as a curl command; send nothing', {
    excludes: { '--json': notWithCurl, '--dry-run': notWithCurl },
  }),
  flag('--expect-status <status>', 'exit 0 if every URL responds so, 1 if not: e.g. 401 or 4xx', {
    parse: parseExpectedStatus,
    values: ['2xx', '4xx', '401'],
    excludes: { '--curl': sendsNothing, '--dry-run': sendsNothing },
  }),
];

export function define(command: Command, io: Io): void {
  command.argument('[type]', 'identify, track, page, screen, group, alias or delete', knownType);
  const target = Object.values(targetFlags(defaults.sendRetryWindow));
  addFlags(command, [...eventFlags.map(withoutRaw), ...rawFlags], 'Event:');
  addFlags(command, Object.values(changeFlags).map(withoutRaw), 'Changes:');
  addFlags(command, target.map(withoutRaw), 'Target:');
  addOutputFlags(command, resultFlags);
  addExamples(command, examples);
  const typed = recordFlags(command);
  command.action((type: string | undefined, flags: SendFlags) => send(type, flags, typed, io));
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

async function send(
  type: string | undefined,
  flags: SendFlags,
  typed: readonly TypedFlag[],
  io: Io,
): Promise<void> {
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
  const editor = await editorIn(typed, flags, io);
  const outgoing = await buildOutgoing(
    type,
    { flags, editor },
    io,
    isMissing ? settings : undefined,
  );
  if (isMissing) throw settings;
  const { unwantedOf, noteUnwanted } = await import('./unwanted.js');
  const unwanted =
    settings.kind === 'webhooks' ? unwantedOf(settings.endpoints, outgoing) : undefined;
  if (flags.dryRun || flags.curl) {
    const { previewRequests } = await import('./preview.js');
    previewRequests(settings, outgoing, unwanted, flags, io);
    warnOfVisibleSecret(flags, io);
    return;
  }
  if (unwanted?.outcome) {
    const { reportOutcome } = await import('./report.js');
    await reportOutcome(unwanted.outcome, outgoing, flags, io);
    return;
  }
  if (unwanted && !flags.quiet && !flags.json) noteUnwanted(unwanted, io);
  // Without allUrls, the response of one URL could end the attempts at the others.
  const allUrls = settings.allUrls || flags.expectStatus !== undefined;
  const { checkTokens } = await import('../shared/check-tokens.js');
  await checkTokens(settings);
  const { deliver } = await import('./deliver.js');
  const open = (options: OpenTargetOptions): Promise<Target> =>
    openTarget({ ...settings, allUrls }, options);
  await deliver({ open, retryWindowMs: settings.retryWindowMs }, outgoing, flags, io);
}

/** Loaded only where a flag asks for it: `send` starts fast. */
async function editorIn(
  typed: readonly TypedFlag[],
  flags: SendFlags,
  io: Io,
): Promise<Editor | undefined> {
  if (!typed.some(({ flag }) => stepKindOf(flag))) return undefined;
  const { resolveChanges } = await import('../shared/changes.js');
  const { Editor } = await import('../../steps/step.js');
  const { steps, hashKey } = (await resolveChanges(typed, flags, io.cwd))!;
  return new Editor(steps, hashKey);
}

/** A body that is sent as it is has no place for what other flags say about an event. */
function withoutRaw(flag: Flag): Flag {
  const { name } = flag;
  if (!notWithRaw.has(name)) return flag;
  return {
    ...flag,
    excludes: { '--raw': () => `--raw sends a body as it is; leave ${name} out` },
  };
}

/** All of an event but its id, which some schemes sign. */
const notWithRaw = new Set([
  ...eventFlags.map(({ name }) => name).filter((name) => name !== '--message-id'),
  ...Object.values(changeFlags).map(({ name }) => name),
  ...['--body', '--ignore-integrations', '--write-key', '--endpoint'],
]);

function checkRaw(type: string | undefined, { raw }: SendFlags): void {
  if (raw === undefined || type === undefined) return;
  throw new UsageError(`--raw sends a body as it is; leave the type ${type} out`);
}
