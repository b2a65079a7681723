import { schemeKey } from '../sign/scheme-key.js';
import type { SignatureVersion } from '../sign/schemes/scheme.js';
import type { SigningSettings } from '../sign/request-signer.js';
import type { CheckSettings } from './settings.js';

type NotFor = (settings: CheckSettings) => string | undefined;

/** The version of the newest secret. */
export function versionOf({ scheme, secrets }: SigningSettings): SignatureVersion {
  return schemeKey(scheme, secrets[0]!, 'sign', '').version;
}

/** Whether the header has the signature alone. */
export function isBare(signing: SigningSettings): boolean {
  const { item } = versionOf(signing);
  return item === '{signature}' && signing.scheme.value === '{signatures}';
}

/** `notFor` of checks of signatures. */
export const withoutSecret: NotFor = ({ signing }) =>
  signing ? undefined : 'no secret is known; pass --secret-file to check signatures';

/** `notFor` of checks that apply to some schemes alone; `why` is asked only when there is a secret. */
export function unlessSigned(why: (signing: SigningSettings) => string | undefined): NotFor {
  return (settings) => (settings.signing ? why(settings.signing) : withoutSecret(settings));
}

/** `notFor` of checks of the time of a signature. An own scheme without a tolerance does not judge it. */
export const withoutTime: NotFor = unlessSigned(({ scheme }) => {
  if (!scheme.timestamp) return `${scheme.name} signs no time`;
  if (scheme.toleranceMs === undefined) {
    return `${scheme.name} does not say how old a signature may be`;
  }
  return undefined;
});
