import type { Scheme } from '../../sign/schemes/scheme.js';
import { analytics } from './analytics.js';
import { github } from './github.js';
import {
  jsonSender,
  kindsOf,
  type EventMarks,
  type FieldLocation,
  type KnownSender,
} from './sender.js';
import { shopify } from './shopify.js';
import { slack } from './slack.js';
import { stripe } from './stripe.js';
import { twilio } from './twilio.js';
import { twitch } from './twitch.js';

const knownSenders: readonly KnownSender[] = [
  analytics,
  github,
  stripe,
  shopify,
  slack,
  twilio,
  twitch,
];

/** Whose events fit a scheme; without one, those that `X-Signature` is for. */
export function senderOf(scheme: Scheme | undefined): KnownSender {
  if (!scheme) return analytics;
  const { name, content, id } = scheme;
  const known = knownSenders.find(({ schemes }) => schemes.includes(name));
  if (known) return known;
  return content.includes('{id}') && id ? standardSender(name, id.header) : plainSender(name, id);
}

/** What is sent where a scheme says nothing of bodies: `hookdeck`, `convoy` and a user's own schemes. */
function plainSender(scheme: string, id: FieldLocation = { path: ['id'] }): KnownSender {
  return jsonSender({
    ...shared(scheme, ({ id: messageId }) => ({ id: messageId, type: 'evfwd.check', data })),
    note: 'members `id`, `type` and `data`',
    id,
  });
}

/** Standard Webhooks and Svix: the id of an event is in a header, which its signature covers. */
function standardSender(scheme: string, idHeader: string): KnownSender {
  return jsonSender({
    ...shared(scheme, ({ nowMs }) => ({
      type: 'evfwd.check',
      timestamp: new Date(nowMs).toISOString(),
      data,
    })),
    note: 'members `type`, `timestamp` and `data`',
    id: { header: idHeader },
    deadlineMs: scheme === 'svix' ? 15_000 : undefined,
  });
}

const data = { order: 'evfwd-check', total: 12, currency: 'EUR' };

function shared(scheme: string, json: (marks: EventMarks) => object) {
  return {
    schemes: [scheme],
    kinds: kindsOf({ 'evfwd.check': (marks) => ({ json: json(marks) }) }),
    kind: { path: ['type'] },
    free: ['data'],
    mark: "event.type === 'evfwd.check'",
  };
}
