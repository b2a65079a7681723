/** A request as a sender makes it, but for the headers of its scheme. */
export interface SampleRequest {
  readonly body: string;
  /** `Name: value`. */
  readonly headers: readonly string[];
  /** The header with the id of a delivery, if it is no part of the scheme. */
  readonly idHeader?: string;
  /** Default: JSON. */
  readonly contentType?: string;
}

const push: SampleRequest = {
  headers: ['X-GitHub-Event: push'],
  idHeader: 'X-GitHub-Delivery',
  body: '{"ref":"refs/heads/main","repository":{"full_name":"octo/shop"}}',
};

/** Of senders whose events have no form of their own. */
const invoicePaid: SampleRequest = {
  headers: [],
  body: '{"type":"invoice.paid","data":{"id":"in_1"}}',
};

const samples: Readonly<Record<string, SampleRequest>> = {
  github: push,
  'github-sha1': push,
  hookdeck: { ...invoicePaid, idHeader: 'X-Hookdeck-EventID' },
  stripe: {
    headers: [],
    body: '{"id":"evt_1","object":"event","type":"invoice.paid","data":{"object":{"id":"in_1"}}}',
  },
  shopify: {
    headers: ['X-Shopify-Topic: orders/create', 'X-Shopify-Shop-Domain: shop.myshopify.com'],
    idHeader: 'X-Shopify-Webhook-Id',
    body: '{"id":1001,"total_price":"12.50"}',
  },
  slack: {
    headers: [],
    body: '{"type":"event_callback","event":{"type":"message","text":"hello"}}',
  },
  twitch: {
    headers: [
      'Twitch-Eventsub-Message-Type: notification',
      'Twitch-Eventsub-Subscription-Type: stream.online',
    ],
    body: '{"subscription":{"type":"stream.online"},"event":{"broadcaster_user_login":"shop"}}',
  },
  twilio: {
    headers: [],
    idHeader: 'I-Twilio-Idempotency-Token',
    contentType: 'application/x-www-form-urlencoded',
    body: 'MessageSid=SM1&From=%2B15550100&Body=hello',
  },
};

/** @param sender one of `relaySenders` */
export function sampleRequest(sender: string): SampleRequest {
  return samples[sender] ?? invoicePaid;
}
