import type { HeaderNames, Scheme, SignatureVersion } from './scheme.js';

const minute = 60_000;

/** The shortest key that the specification of Standard Webhooks allows, in bytes. */
const advisedBytes = 24;

const standardVersions: readonly SignatureVersion[] = [
  {
    digest: 'sha256',
    encoding: 'base64',
    secret: { prefix: 'whsec_', encoding: 'base64', advisedBytes },
    item: 'v1,{signature}',
  },
  {
    digest: 'ed25519',
    encoding: 'base64',
    secret: { prefix: 'whsk_', encoding: 'base64' },
    item: 'v1a,{signature}',
  },
];

/** The presets that sign the time of the attempt, too. */
export const timedSchemes: readonly Scheme[] = [
  standard('standard-webhooks', 'webhook-'),
  { ...standard('svix', 'svix-'), aliases: [names('webhook-')] },
  {
    name: 'stripe',
    content: '{timestamp}.{body}',
    versions: [hex('v1={signature}')],
    header: 'Stripe-Signature',
    value: 't={timestamp},{signatures}',
    separator: ',',
    timestamp: { format: 'seconds' },
    toleranceMs: 5 * minute,
    judgesFuture: false,
  },
  {
    name: 'slack',
    content: 'v0:{timestamp}:{body}',
    versions: [hex('v0={signature}')],
    header: 'X-Slack-Signature',
    value: '{signatures}',
    timestamp: { header: 'X-Slack-Request-Timestamp', format: 'seconds' },
    toleranceMs: 5 * minute,
    judgesFuture: true,
  },
  {
    name: 'twitch',
    content: '{id}{timestamp}{body}',
    versions: [hex('sha256={signature}')],
    header: 'Twitch-Eventsub-Message-Signature',
    value: '{signatures}',
    timestamp: { header: 'Twitch-Eventsub-Message-Timestamp', format: 'iso' },
    id: { header: 'Twitch-Eventsub-Message-Id' },
    toleranceMs: 10 * minute,
    judgesFuture: false,
  },
  {
    name: 'convoy-advanced',
    content: '{timestamp},{body}',
    versions: [hex('v1={signature}')],
    header: 'X-Convoy-Signature',
    value: 't={timestamp},{signatures}',
    separator: ',',
    timestamp: { format: 'seconds' },
    toleranceMs: 5 * minute,
    judgesFuture: false,
  },
];

function standard(name: string, prefix: string): Scheme {
  const { signature, timestamp, id } = names(prefix);
  return {
    name,
    content: '{id}.{timestamp}.{body}',
    versions: standardVersions,
    header: signature,
    value: '{signatures}',
    separator: ' ',
    timestamp: { header: timestamp, format: 'seconds' },
    id: { header: id },
    toleranceMs: 5 * minute,
    judgesFuture: true,
  };
}

function names(prefix: string): Required<HeaderNames> {
  return {
    signature: `${prefix}signature`,
    timestamp: `${prefix}timestamp`,
    id: `${prefix}id`,
  };
}

function hex(item: string): SignatureVersion {
  return { digest: 'sha256', encoding: 'hex', secret: { encoding: 'utf8' }, item };
}
