import type { Command } from 'commander';
import type { Io } from '../shared/command.js';
import { addFlagGroups, flag } from '../flags/flag.js';
import { addOutputFlags, outputFlags, type OutputFlags } from '../flags/output.js';
import { rateFlag } from '../flags/run.js';
import { schemeFlag, secretFlags } from '../flags/signing.js';
import { connectionFlags, headerFlag, profileFlags } from '../flags/target.js';
import { collect, parseDuration } from '../shared/flag-values.js';
import { addExamples } from '../shared/examples.js';
import type { TargetFlags } from '../shared/target-flags.js';
import { formats, type FormatName } from '../../check/report/formats.js';
import type { Vendor } from '../../check/options.js';
import {
  type Framework,
  frameworkNames,
  frameworks,
  flagNameOf,
} from '../../check/fixes/frameworks.js';
import { UsageError } from '../../errors.js';
import { suggestion } from '../../nearest.js';
import { quoted } from '../../quoted.js';
import { vendors } from '../../check/settings.js';

/** Flags of `check`, as commander parses them. */
export interface CheckFlags
  extends Omit<TargetFlags, 'body'>, OutputFlags, Partial<Record<FormatName, string>> {
  body?: string[];
  idPath?: string;
  idHeader?: string;
  batch?: boolean;
  only?: string[];
  skip?: string[];
  deadline?: number;
  rate?: number;
  probe?: string;
  handshake?: Vendor;
  handshakeToken?: string;
  strict?: boolean;
  yes?: boolean;
  dryRun?: boolean;
  framework?: Framework[];
}

const asFile = { insteadOfDash: 'use a file name' };

/** Below their headings in the help. */
const groups = {
  'Target:': [
    headerFlag,
    ...Object.values(secretFlags),
    schemeFlag,
    ...Object.values(connectionFlags),
    ...Object.values(profileFlags),
  ],
  'Events:': [
    flag(
      '--body <file>',
      "your own sample in place of the sender's events: JSON, a form or a capture (repeatable)",
      { parse: collect },
    ),
    flag('--id-path <path>', 'path of the id in the samples of --body, e.g. data.id'),
    flag('--id-header <name>', 'header of the id, in place of --id-path, e.g. X-Event-Id'),
    flag('--batch', 'send events in arrays, as a target with batch in its settings does'),
  ],
  'Checks:': [
    flag('--only <id>', "only these checks, e.g. 'sign.*' (repeatable)", { parse: collect }),
    flag('--skip <id>', "leave these checks out, e.g. 'load.*' (repeatable)", { parse: collect }),
    flag(
      '--deadline <duration>',
      "when a response is late (default: the sender's limit, 5s for most)",
      { parse: parseDuration },
    ),
    flag(
      '--probe <command>',
      'count effects of a repeated event: run this command before and after it; it prints a number',
    ),
    flag('--handshake <vendor>', `check a handshake, too: ${anyOf(vendors)}`, {
      parse: checkedVendor,
      values: vendors,
    }),
    flag('--handshake-token <token>', 'verify token of the handshake (meta)', {
      needs: { flag: '--handshake' },
    }),
    { ...rateFlag, text: 'limit the request rate (default: 20/s)' },
    flag('--strict', 'make each warning a failure'),
    flag('-y, --yes', 'do not ask before checking an address that is not loopback'),
    flag('--dry-run', 'list what would be sent; send nothing'),
  ],
};

/** The code of fixes is part of the printed report. */
function notPrinted(other: string): string {
  return `--framework and ${other} cannot be combined: the code is part of the printed report; leave one out`;
}

const resultFlags = [
  ...Object.values({
    ...outputFlags,
    verbose: { ...outputFlags.verbose, text: 'print all checks, also those that passed' },
  }),
  flag('--framework <name>', `print the fixes in code: ${anyOf(frameworkNames)} (repeatable)`, {
    parse: collectFramework,
    excludes: { '--json': notPrinted, '--quiet': notPrinted },
  }),
  ...formats.map(({ name, help }) => flag(`--${name} <file>`, help, asFile)),
];

export function define(command: Command, io: Io): void {
  command
    .description(
      'Check whether an endpoint is a good receiver of webhooks: exit 0 if no required check failed, 1 if one did, 2 if it could not be judged.',
    )
    .argument('[url]', 'the endpoint (default: that of the profile; env: EVFWD_URL)');
  addFlagGroups(command, groups);
  addOutputFlags(command, resultFlags);
  addExamples(command, examples);
  command.action(async (url: string | undefined, flags: CheckFlags) => {
    const { check } = await import('./run.js');
    await check(url, flags, io);
  });
}

const examples: readonly (readonly [string, string])[] = [
  ['check a local endpoint', 'evfwd check http://localhost:3000/hook --secret-file secret.txt'],
  [
    'in CI: no questions, a report of the run',
    'evfwd check https://staging.example.com/hook --secret-file secret.txt --yes --junit check.xml',
  ],
  [
    'only signatures, as Stripe makes them',
    "evfwd check http://localhost:3000/stripe --scheme stripe --secret-file secret.txt --only 'sign.*'",
  ],
  [
    'see whether a repeat has an effect',
    'evfwd check http://localhost:3000/hook --probe \'psql -Atc "select count(*) from orders"\'',
  ],
];

/** `a, b or c` */
function anyOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** The value of `--handshake`. @throws UsageError for another one */
function checkedVendor(text: string): Vendor {
  const vendor = vendors.find((name) => name === text);
  if (vendor) return vendor;
  throw new UsageError(
    `--handshake: there is no vendor ${quoted(text, 'of this name')}; ${suggestion(text, vendors)}`,
  );
}

/** Collects the values of `--framework`, each once. @throws UsageError for another one */
function collectFramework(text: string, previous: Framework[] | undefined): Framework[] {
  const framework = frameworks.find((name) => flagNameOf(name) === text.toLowerCase());
  if (framework) return [...new Set([...(previous ?? []), framework])];
  throw new UsageError(
    `--framework: there is no code for ${quoted(text, 'this name')}; use ${frameworkNames.join(', ')}`,
  );
}
