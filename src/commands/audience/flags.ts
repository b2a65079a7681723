import type { AudienceName } from '../../audience/identify.js';
import { propertyOf } from '../../audience/property.js';
import type { AudienceKind } from '../../audience/row.js';
import { UsageError } from '../../errors.js';
import { quoted } from '../../quoted.js';
import type { MissingTargetError } from '../../config/missing-target.js';
import { missingParts } from '../shared/missing.js';
import type { OutputFlags } from '../flags/output.js';
import type { TargetFlags } from '../shared/target-flags.js';

/** Flags of `audience sync` and `audience trait`, as commander parses them. */
export interface GivenAudienceFlags extends TargetFlags, OutputFlags {
  name?: string;
  members?: string;
  values?: string;
  allowEmpty?: boolean;
  dryRun?: boolean;
  concurrency: number;
  rate?: number;
  stateDir?: string;
  fresh?: boolean;
  deadLetter?: string;
}

/** The same with a name and a list. */
export interface AudienceFlags extends GivenAudienceFlags {
  name: string;
}

/**
 * Checks that nothing is missing.
 *
 * @param target The error for a missing target, if it is.
 * @throws UsageError that names all that is missing
 */
export function completeFlags(
  kind: AudienceKind,
  flags: GivenAudienceFlags,
  target: MissingTargetError | undefined,
): AudienceFlags {
  const { name, members, values } = flags;
  const list = kind === 'sync' ? '--members' : '--values';
  const missing = [
    name === undefined && 'a name (--name)',
    (members ?? values) === undefined && `a list (${list})`,
  ].filter((part) => part !== false);
  if (missing.length > 0) {
    throw missingParts(target ? [...missing, target.part] : missing, examples[kind]);
  }
  if (target) throw target;
  return { ...flags, name: name! };
}

const examples: Readonly<Record<AudienceKind, string>> = {
  sync: "evfwd audience sync --name 'High Value Users' --members members.csv --url http://localhost:3000/hook",
  trait:
    "evfwd audience trait --name 'Last Order Total' --values totals.ndjson --url http://localhost:3000/hook",
};

/** Far below the 32 KB limit of an event. */
const maxPropertyLength = 200;

/** @throws UsageError for a name that cannot be turned into a trait name. */
export function audienceName(
  kind: AudienceKind,
  { name }: AudienceFlags,
): Pick<AudienceName, 'kind' | 'property'> {
  const property = propertyOf(name);
  if (property === '') {
    throw new UsageError(
      `--name: ${quoted(name, 'the value')} must contain a letter or digit for the trait name`,
    );
  }
  if (Array.from(property).length > maxPropertyLength) {
    throw new UsageError(`--name: is longer than ${maxPropertyLength} characters; shorten it`);
  }
  return { kind, property };
}

/** The path of the list. */
export function listOf({ members, values }: AudienceFlags): string {
  return (members ?? values)!;
}
