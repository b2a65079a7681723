import type { AudienceName } from '../../audience/identify.js';
import { propertyOf } from '../../audience/property.js';
import type { AudienceKind } from '../../audience/row.js';
import { UsageError } from '../../errors.js';
import { quoted } from '../../quoted.js';
import type { OutputFlags } from '../shared/flags.js';
import type { TargetFlags } from '../shared/target-flags.js';

/** Flags of `audience sync` and `audience trait`, as commander parses them. */
export interface AudienceFlags extends TargetFlags, OutputFlags {
  name: string;
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
