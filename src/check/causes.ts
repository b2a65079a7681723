/** What several checks can show at once. */
export interface Cause {
  /** What a good endpoint does. */
  readonly title: string;
  readonly why: string;
  readonly fix: string;
}

export type CauseName = keyof typeof causes;

export const causes = {
  acceptance: {
    title: 'Accepts every kind of event',
    why: 'Senders treat any status but 2xx as a failure: they retry for hours, or disable the endpoint (Standard Webhooks: only 2xx is success).',
    fix: 'Return 200 or 204 for every kind of event, including those that your code does not use.',
  },
  verification: {
    title: 'Verifies the signature of every event',
    why: 'Otherwise anyone who knows the URL can send events (Standard Webhooks, GitHub).',
    fix: 'Calculate the signature of the raw body, compare it with the whole of the one in the header in constant time, and return 401 if they differ or there is none, before the body is used.',
  },
  'raw body': {
    title: 'Verifies the body as it was sent',
    why: 'A receiver that parses the JSON and serializes it again verifies other bytes than those that were signed. It works until an event has a space, an escape or a number that its own serializer writes in another way (GitHub: raw payload).',
    fix: 'Verify the signature over the raw body, before any JSON parser sees it. Never parse and serialize the body again to verify it.',
  },
  time: {
    title: 'Refuses signatures that are not of these minutes',
    why: 'Otherwise anyone who recorded a request can replay it (Standard Webhooks: verify the timestamp).',
    fix: 'Verify the signature over the time in the header and the raw body, then refuse an event whose time differs from your clock by more than five minutes.',
  },
  repeats: {
    title: 'Accepts an event that it already has',
    why: 'A sender repeats an event when a response was lost or late. Anything but 2xx makes it repeat for hours (Standard Webhooks: idempotency key; GitHub: the same id on redelivery).',
    fix: 'Let the database decide which request was first (INSERT … ON CONFLICT DO NOTHING on the id of the event), then return 2xx to all: no 409, and no error from a unique index.',
  },
  'slow work': {
    title: 'Responds before it works',
    why: 'After the deadline a sender counts the event as failed and sends it again, so slow work is done twice.',
    fix: 'Verify the signature, put the event into a queue or a table, return 2xx, and do the work afterwards.',
  },
  'bodies of any kind': {
    title: 'Refuses what is not JSON without a server error',
    why: 'After 5xx a sender retries for hours; 400 tells it that a retry is pointless (RFC 9110: 4xx is a client error).',
    fix: 'Parse the body in a try block after the signature is verified, and return 400 if that fails.',
  },
  methods: {
    title: 'Responds to GET and HEAD without a server error',
    why: 'Monitors, crawlers and people open the URL. A 500 for each fills the logs, and a hanging request keeps a worker busy.',
    fix: 'Route only POST to your code; most frameworks then return 405 for other methods.',
  },
} as const satisfies Readonly<Record<string, Cause>>;
