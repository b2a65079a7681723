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

/** A trait's name is no place for an essay; an event has 32 KB in all. */
const longestProperty = 200;

/** @throws UsageError for a name that no trait can be made of. */
export function audienceName(
  kind: AudienceKind,
  { name }: AudienceFlags,
): Pick<AudienceName, 'kind' | 'property'> {
  const property = propertyOf(name);
  if (property === '') {
    throw new UsageError(
      `--name: ${quoted(name, 'the value')} has neither letters nor digits to name a trait by`,
    );
  }
  if (Array.from(property).length > longestProperty) {
    throw new UsageError(`--name: has more than ${longestProperty} characters; shorten it`);
  }
  return { kind, property };
}

/** The path of the list. */
export function listOf({ members, values }: AudienceFlags): string {
  return (members ?? values)!;
}
