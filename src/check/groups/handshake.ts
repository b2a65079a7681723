import { createHmac, randomBytes } from 'node:crypto';
import { type Check, failed, passed, type CheckResult } from '../check.js';
import { headerOf, described, isSuccess, type Exchange, type ProbeRequest } from '../exchange.js';
import type { CheckEvent } from '../events.js';
import type { Prober } from '../prober.js';
import type { SnippetName } from '../fix-files.js';
import type { CheckSettings } from '../settings.js';
import { allowedOriginFault, originHeaders } from './http.js';
import type { Vendor } from '../options.js';

/** What a vendor asks when a URL is registered, and how the answer must look. */
interface Handshake {
  readonly name: string;
  readonly sends: string;
  readonly passes: string;
  readonly source: string;
  readonly fix: string;
  readonly snippet?: SnippetName;
  readonly skipIf?: Check['skipIf'];
  request(prober: Prober, challenge: string): ProbeRequest;
  /** What is wrong with a 2xx response; undefined if it is right. */
  fault(exchange: Exchange, challenge: string, settings: CheckSettings): string | undefined;
}

const handshakes: Readonly<Record<Vendor, Handshake>> = {
  slack: {
    name: 'Slack',
    sends: 'a url_verification event with a challenge',
    passes: '2xx with the challenge as plain text, form data or JSON',
    source: 'Slack Events API: URL verification',
    fix: 'If type is url_verification, return 200 with the value of challenge as text/plain.',
    request: (prober, challenge) =>
      jsonRequest(prober, { token: tokenOf(prober), challenge, type: 'url_verification' }),
    fault: slackFault,
  },
  twitch: {
    name: 'Twitch',
    sends: 'a webhook_callback_verification with a challenge',
    passes: '2xx with the raw challenge',
    source: 'Twitch EventSub: responding to a challenge request',
    fix: 'If Twitch-Eventsub-Message-Type is webhook_callback_verification, return 200 with the value of challenge as text/plain, without quotes.',
    request: twitchRequest,
    fault: rawFault,
  },
  meta: {
    name: 'Meta',
    sends: 'GET with hub.mode, hub.verify_token and hub.challenge',
    passes: '2xx with the raw challenge',
    source: 'Meta webhooks: verification requests',
    fix: 'On GET, compare hub.verify_token with your token, and return 200 with the value of hub.challenge as text.',
    snippet: 'handshake-meta',
    skipIf: ({ handshake }) =>
      handshake?.vendor === 'meta' && handshake.token === undefined
        ? 'needs the verify token: pass --handshake-token'
        : undefined,
    request: metaRequest,
    fault: rawFault,
  },
  zoom: {
    name: 'Zoom',
    sends: 'an endpoint.url_validation event with a plainToken',
    passes: '2xx and JSON with plainToken and encryptedToken, its HMAC-SHA256 in hexadecimal',
    source: 'Zoom webhooks: validate your endpoint',
    fix: 'If event is endpoint.url_validation, return 200 with {"plainToken", "encryptedToken"}; the second is the HMAC-SHA256 of the first with your secret token, in hexadecimal.',
    skipIf: ({ signing }) => (signing ? undefined : 'needs the secret token: pass --secret-file'),
    request: (prober, plainToken) =>
      jsonRequest(prober, {
        payload: { plainToken },
        event_ts: Date.now(),
        event: 'endpoint.url_validation',
      }),
    fault: zoomFault,
  },
  cloudevents: {
    name: 'CloudEvents',
    sends: 'OPTIONS with WebHook-Request-Origin and WebHook-Request-Rate',
    passes: '2xx with WebHook-Allowed-Origin: the same origin or *',
    source: 'CloudEvents HTTP webhooks 4: abuse protection',
    fix: 'On OPTIONS, return 200 with WebHook-Allowed-Origin: the origin of the request or *, and WebHook-Allowed-Rate.',
    snippet: 'handshake-cloudevents',
    request: (prober) => prober.bareRequest('OPTIONS', originHeaders),
    fault: ({ response }) => allowedOriginFault(headerOf(response!, 'webhook-allowed-origin')),
  },
};

/** The handshake of each vendor; a run has the one that is asked for. */
export const handshakeChecks: readonly Check[] = Object.entries(handshakes).map(
  ([vendor, handshake]) => checkOf(vendor, handshake),
);

function checkOf(vendor: string, handshake: Handshake): Check {
  const { name, sends, passes, source, fix, snippet, skipIf } = handshake;
  return {
    id: `handshake.${vendor}`,
    level: 'must',
    stage: 'parallel',
    title: `Completes the ${name} handshake`,
    sends,
    requests: 1,
    passes,
    why: `${name} sends no events to a URL until it has completed this handshake (${source}).`,
    fix,
    snippet,
    ...(skipIf && { skipIf }),
    evaluate: async (prober) => {
      // Digits alone: Meta's challenge is a number.
      const challenge = String(randomBytes(4).readUInt32BE());
      const exchange = await prober.send(handshake.request(prober, challenge));
      return evaluateAnswer(exchange, handshake, challenge, prober.settings);
    },
  };
}

function evaluateAnswer(
  exchange: Exchange,
  handshake: Handshake,
  challenge: string,
  settings: CheckSettings,
): CheckResult {
  if (!isSuccess(exchange)) return failed(`${described(exchange)}, expected 2xx`, exchange);
  const problem = handshake.fault(exchange, challenge, settings);
  return problem === undefined
    ? passed(`${described(exchange)} with the right answer`, exchange)
    : failed(problem, exchange);
}

function tokenOf({ settings }: Prober): string {
  return settings.handshake?.token ?? 'evfwd-check';
}

function jsonRequest(prober: Prober, value: object): ProbeRequest {
  const body = Buffer.from(JSON.stringify(value));
  return prober.request(requestOf(prober.nextId(), body));
}

/** JSON of another sender, perhaps, than that of the events. */
function requestOf(messageId: string, body: Buffer): CheckEvent {
  return { body, messageId, contentType: 'application/json', headers: [] };
}

const twitchType = 'channel.follow';

function twitchRequest(prober: Prober, challenge: string): ProbeRequest {
  const id = prober.nextId();
  const now = new Date();
  const { url } = prober.settings;
  const subscription = {
    id,
    status: 'webhook_callback_verification_pending',
    type: twitchType,
    version: '1',
    cost: 1,
    condition: { broadcaster_user_id: '12826' },
    transport: { method: 'webhook', callback: url.origin + url.pathname },
    created_at: now.toISOString(),
  };
  const body = Buffer.from(JSON.stringify({ challenge, subscription }));
  const signed = prober.request(requestOf(id, body), { nowMs: now.getTime() });
  const present = new Set(signed.headers.map(([name]) => name.toLowerCase()));
  const own: [string, string][] = [
    ['Twitch-Eventsub-Message-Id', id],
    ['Twitch-Eventsub-Message-Retry', '0'],
    ['Twitch-Eventsub-Message-Type', 'webhook_callback_verification'],
    ['Twitch-Eventsub-Message-Timestamp', now.toISOString()],
    ['Twitch-Eventsub-Subscription-Type', twitchType],
    ['Twitch-Eventsub-Subscription-Version', '1'],
  ];
  const added = own.filter(([name]) => !present.has(name.toLowerCase()));
  return { ...signed, headers: [...signed.headers, ...added] };
}

function metaRequest(prober: Prober, challenge: string): ProbeRequest {
  const url = new URL(prober.settings.url);
  url.searchParams.set('hub.mode', 'subscribe');
  url.searchParams.set('hub.challenge', challenge);
  url.searchParams.set('hub.verify_token', tokenOf(prober));
  return { ...prober.bareRequest('GET'), url: url.href };
}

/** A newline at the end does no harm. */
function textOf({ response }: Exchange): string {
  return response!.body.toString('utf8').trim();
}

function rawFault(exchange: Exchange, challenge: string): string | undefined {
  const text = textOf(exchange);
  if (text === challenge) return undefined;
  return text.includes(challenge)
    ? 'the response has more than the challenge: expected it alone, without quotes or JSON'
    : 'the body of the response is not the challenge';
}

function slackFault(exchange: Exchange, challenge: string): string | undefined {
  const text = textOf(exchange);
  const type = headerOf(exchange.response!, 'content-type') ?? '';
  if (text === challenge || jsonOf(text)?.challenge === challenge) return undefined;
  if (/form-urlencoded/i.test(type) && new URLSearchParams(text).get('challenge') === challenge) {
    return undefined;
  }
  return 'the response does not have the challenge as plain text, form data or JSON';
}

function zoomFault(
  exchange: Exchange,
  plainToken: string,
  { signing }: CheckSettings,
): string | undefined {
  const answer = jsonOf(textOf(exchange));
  if (!answer) return 'the body of the response is not a JSON object';
  if (answer.plainToken !== plainToken) return 'plainToken is not the one that was sent';
  const right = createHmac('sha256', signing!.secrets[0]!).update(plainToken).digest('hex');
  return answer.encryptedToken === right
    ? undefined
    : 'encryptedToken is not the HMAC-SHA256 of plainToken with the secret, in hexadecimal';
}

function jsonOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
