import type { Scheme } from '../../sign/schemes/scheme.js';
import { analytics } from './analytics.js';
import { github } from './github.js';
import { type Sender, type FieldLocation, jsonSender, kindsOf } from './sender.js';
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

const data = { order: 'evfwd-check', total: 12, currency: 'EUR' };

/** What is sent where a scheme says nothing of bodies: `hookdeck`, `convoy` and a user's own schemes. */
function plainSender(id: FieldLocation = { path: ['id'] }): Sender {
  return jsonSender({
    kinds: kindsOf({
      'evfwd.check': ({ id: messageId }) => ({
        json: { id: messageId, type: 'evfwd.check', data },
      }),
    }),
    id,
    kind: { path: ['type'] },
    free: ['data'],
  });
}

/** Standard Webhooks and Svix: the id of an event is in a header, which its signature covers. */
function standardSender(idHeader: string): Sender {
  return jsonSender({
    kinds: kindsOf({
      'evfwd.check': ({ nowMs }) => ({
        json: { type: 'evfwd.check', timestamp: new Date(nowMs).toISOString(), data },
      }),
    }),
    id: { header: idHeader },
    kind: { path: ['type'] },
    free: ['data'],
  });
}
