import { createHash } from 'node:crypto';
import { headerValues } from '../../http/header-rules.js';
import { idHeadersOf } from '../../replay/sign-anew.js';
import { presets } from '../../sign/schemes/index.js';
import type { Scheme } from '../../sign/schemes/scheme.js';
import type { CheckedSignature } from '../../receive/checked-signature.js';
import type { RawSource } from './source.js';

/** Where senders put the id of a delivery, if it is no part of their scheme. Lower case. */
const senderHeaders: Readonly<Record<string, string>> = {
  github: 'x-github-delivery',
  'github-sha1': 'x-github-delivery',
  shopify: 'x-shopify-webhook-id',
  hookdeck: 'x-hookdeck-eventid',
  twilio: 'i-twilio-idempotency-token',
};

/** Longer ids are replaced by their hash. */
const maxIdLength = 200;

/** The id of a delivery, and the header that has it, in lower case. */
export interface DeliveryId {
  readonly id: string;
  readonly header: string;
}

/**
 * The id by which a repeat of a request is recognized; undefined if it has none. One whose signature was checked and
 * is not valid has none either: anybody could send it first, and the genuine one would be taken for the repeat.
 */
export function deliveryIdOf(
  headers: readonly string[],
  { signature, scheme, webhookId }: Pick<CheckedSignature, 'signature' | 'scheme' | 'webhookId'>,
  source: Pick<RawSource, 'scheme' | 'own'>,
): DeliveryId | undefined {
  if (signature !== 'valid' && signature !== 'unchecked') return undefined;
  const names = namesFor(scheme, source);
  if (webhookId !== null) {
    const header = names.find((name) => headerValues(headers, name).includes(webhookId));
    return { id: shortened(webhookId), header: header ?? '' };
  }
  for (const header of names) {
    const values = headerValues(headers, header);
    // Of two headers, none is known to be the right one.
    if (values.length === 1 && values[0] !== '') return { id: shortened(values[0]!), header };
  }
  return undefined;
}

function namesFor(
  checkedBy: string | null,
  { scheme, own }: Pick<RawSource, 'scheme' | 'own'>,
): readonly string[] {
  if (checkedBy !== null) return namesOf(presets.get(checkedBy) ?? own.find(isNamed(checkedBy)));
  if (scheme !== 'auto') return namesOf(scheme);
  return [...new Set([...idHeadersOf([...presets.values(), ...own]), ...allSenderHeaders])];
}

const allSenderHeaders = Object.values(senderHeaders);

function namesOf(scheme: Scheme | undefined): readonly string[] {
  if (!scheme) return [];
  const ofSender = senderHeaders[scheme.name];
  return [...idHeadersOf([scheme]), ...(ofSender === undefined ? [] : [ofSender])];
}

function isNamed(name: string): (scheme: Scheme) => boolean {
  return (scheme) => scheme.name === name;
}

function shortened(id: string): string {
  if (id.length <= maxIdLength) return id;
  return `msg_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}
