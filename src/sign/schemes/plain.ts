import type { Scheme, SignatureEncoding } from './scheme.js';

/** The presets that sign the body alone. */
export const plainSchemes: readonly Scheme[] = [
  plain('x-signature', 'X-Signature', 'sha1', 'hex', '{signature}'),
  plain('github', 'X-Hub-Signature-256', 'sha256', 'hex', 'sha256={signature}'),
  plain('github-sha1', 'X-Hub-Signature', 'sha1', 'hex', 'sha1={signature}'),
  plain('shopify', 'X-Shopify-Hmac-Sha256', 'sha256', 'base64', '{signature}'),
  {
    ...plain('hookdeck', 'x-hookdeck-signature', 'sha256', 'base64', '{signature}'),
    secondHeader: 'x-hookdeck-signature-2',
  },
  plain('convoy', 'X-Convoy-Signature', 'sha256', 'hex', '{signature}'),
  {
    ...plain('twilio', 'X-Twilio-Signature', 'sha1', 'base64', '{signature}'),
    content: '{url}',
    special: 'twilio',
  },
];

function plain(
  name: string,
  header: string,
  digest: 'sha1' | 'sha256',
  encoding: SignatureEncoding,
  item: string,
): Scheme {
  return {
    name,
    content: '{body}',
    versions: [{ digest, encoding, secret: { encoding: 'utf8' }, item }],
    header,
    value: '{signatures}',
    judgesFuture: false,
  };
}
