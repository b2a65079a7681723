import type { Scheme } from '../../sign/schemes/scheme.js';
import type { Io } from '../shared/command.js';
import {
  parseTolerance,
  signedRequestValues,
  type SignedRequestValues,
} from '../shared/signed-request-flags.js';
import { findOwnSchemes, findScheme } from '../shared/signing-flags.js';
import type { VerifyFlags } from './command.js';

/** What the flags say of a request, beside its headers. */
export interface RequestValues extends SignedRequestValues {
  /** In place of that of the scheme; null: times are not judged. */
  readonly toleranceMs?: number | null;
}

/** @throws UsageError for malformed values */
export function requestValues(flags: VerifyFlags): RequestValues {
  const { tolerance } = flags;
  return {
    ...signedRequestValues(flags),
    ...(tolerance !== undefined && { toleranceMs: parseTolerance(tolerance) }),
  };
}

/** How requests are verified, beside the secrets. */
export interface VerifySettings extends RequestValues {
  readonly scheme: Scheme | 'auto';
  /** The schemes of the configuration file, for `auto` and for hints. */
  readonly own: readonly Scheme[];
}

/** @throws UsageError for an unknown scheme and malformed values */
export async function verifySettings(flags: VerifyFlags, io: Io): Promise<VerifySettings> {
  return {
    ...requestValues(flags),
    scheme: await chosenScheme(flags, io),
    own: await findOwnSchemes(flags, io),
  };
}

async function chosenScheme(flags: VerifyFlags, io: Io): Promise<Scheme | 'auto'> {
  const { scheme } = flags;
  const name = scheme ?? io.env.EVFWD_SCHEME;
  if (!name || name === 'auto') return 'auto';
  return findScheme(name, scheme === undefined ? 'EVFWD_SCHEME' : '--scheme', flags, io);
}
