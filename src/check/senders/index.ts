import type { Scheme } from '../../sign/schemes/scheme.js';
import { analytics } from './analytics.js';
import { github } from './github.js';
import { plainSender, standardSender } from './plain.js';
import type { Sender } from './sender.js';
import { shopify } from './shopify.js';
import { slack } from './slack.js';
import { stripe } from './stripe.js';
import { twilio } from './twilio.js';
import { twitch } from './twitch.js';

const senders: Readonly<Record<string, Sender>> = {
  'x-signature': analytics,
  github,
  'github-sha1': github,
  stripe,
  shopify,
  slack,
  twilio,
  twitch,
};

/** Whose events fit a scheme; without one, those that `X-Signature` is for. */
export function senderOf(scheme: Scheme | undefined): Sender {
  if (!scheme) return analytics;
  const known = Object.hasOwn(senders, scheme.name) ? senders[scheme.name] : undefined;
  if (known) return known;
  if (scheme.content.includes('{id}') && scheme.id) return standardSender(scheme.id.header);
  return plainSender(scheme.id);
}
