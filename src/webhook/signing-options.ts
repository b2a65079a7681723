import { UsageError } from '../errors.js';
import type { SigningSettings } from '../sign/request-signer.js';
import { schemeNamed } from '../sign/schemes/index.js';
import type { Secret } from '../sign/schemes/scheme.js';
import type { WebhookDestinationOptions } from './options.js';

/** How the options of a destination say that it signs: not at all, or in one way. */
export function settingsOf({
  sharedSecret,
  scheme: name,
}: Pick<WebhookDestinationOptions, 'sharedSecret' | 'scheme'>): SigningSettings[] {
  if (sharedSecret === undefined) {
    if (name === undefined) return [];
    throw new UsageError('scheme needs sharedSecret; pass both', 'no_secret');
  }
  const secrets = listOfSecrets(sharedSecret);
  // JavaScript callers may pass anything, such as the null of a setting that is not there.
  if (!secrets.every((one: unknown) => typeof one === 'string' || one instanceof Uint8Array)) {
    throw new UsageError('sharedSecret is neither a string nor bytes', 'not_bytes');
  }
  if (secrets.length === 0 || secrets.some(({ length }) => length === 0)) {
    throw new UsageError('sharedSecret is empty');
  }
  return [{ scheme: schemeNamed(name ?? 'x-signature', [], 'scheme'), secrets }];
}

/** One secret, or a list of them. */
export function listOfSecrets(given: Secret | readonly Secret[]): readonly Secret[] {
  return Array.isArray(given) ? (given as readonly Secret[]) : [given as Secret];
}
