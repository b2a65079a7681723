import { schemeKey } from '../sign/scheme-key.js';
import type { SignatureVersion } from '../sign/schemes/scheme.js';
import type { SigningSettings } from '../sign/request-signer.js';
import type { CheckSettings } from './settings.js';

type SkipIf = (settings: CheckSettings) => string | undefined;

/** The version of the newest secret. */
export function versionOf({ scheme, secrets }: SigningSettings): SignatureVersion {
  return schemeKey(scheme, secrets[0]!, 'sign', '').version;
}

/** Whether the header has the signature alone. */
export function isBare(signing: SigningSettings): boolean {
  const { item } = versionOf(signing);
  return item === '{signature}' && signing.scheme.value === '{signatures}';
}

/** `skipIf` of checks of signatures. */
export const withoutSecret: SkipIf = ({ signing }) =>
  signing ? undefined : 'no secret is known; pass --secret-file to check signatures';

/** `skipIf` of checks that apply to some schemes alone; `why` is asked only when there is a secret. */
export function unlessSigned(why: (signing: SigningSettings) => string | undefined): SkipIf {
  return (settings) => (settings.signing ? why(settings.signing) : withoutSecret(settings));
}

/** `skipIf` of checks of the time of a signature. An own scheme without a tolerance does not judge it. */
export const withoutTime: SkipIf = unlessSigned(({ scheme }) => {
  if (!scheme.timestamp) return `${scheme.name} signs no time`;
  if (scheme.toleranceMs === undefined) {
    return `${scheme.name} does not say how old a signature may be`;
  }
  return undefined;
});
