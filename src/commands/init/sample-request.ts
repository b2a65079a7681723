/** A request as a sender makes it, but for the headers of its scheme. */
export interface SampleRequest {
  readonly body: string;
  /** `Name: value`. No id of a delivery: the same command may be run again. */
  readonly headers: readonly string[];
  /** Default: JSON. */
  readonly contentType?: string;
}

const push: SampleRequest = {
  headers: ['X-GitHub-Event: push'],
  body: '{"ref":"refs/heads/main","repository":{"full_name":"octo/shop"}}',
};

const samples: Readonly<Record<string, SampleRequest>> = {
  github: push,
  'github-sha1': push,
  stripe: {
    headers: [],
    body: '{"id":"evt_1","object":"event","type":"invoice.paid","data":{"object":{"id":"in_1"}}}',
  },
  shopify: {
    headers: ['X-Shopify-Topic: orders/create', 'X-Shopify-Shop-Domain: shop.myshopify.com'],
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
    contentType: 'application/x-www-form-urlencoded',
    body: 'MessageSid=SM1&From=%2B15550100&Body=hello',
  },
};

/** Of senders whose events have no form of their own. */
const invoicePaid: SampleRequest = {
  headers: [],
  body: '{"type":"invoice.paid","data":{"id":"in_1"}}',
};

/** @param sender one of `relaySenders` */
export function sampleRequest(sender: string): SampleRequest {
  return samples[sender] ?? invoicePaid;
}
