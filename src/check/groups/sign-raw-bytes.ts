import { acceptance } from '../acceptance.js';
import type { Check } from '../check.js';
import type { CheckEvent } from '../events.js';
import type { Prober } from '../prober.js';
import { withoutSecret } from '../scheme-needs.js';

/** A body that does not survive being parsed and written again. */
interface OddBody {
  readonly name: string;
  readonly title: string;
  readonly what: string;
  /** The text of `properties`. */
  readonly properties: string;
  /** Stands behind the body. */
  readonly end?: string;
  readonly why: string;
}

const oddBodies: readonly OddBody[] = [
  {
    name: 'space',
    title: 'Verifies a body with extra spaces',
    what: 'spaces and newlines between its members',
    properties: '{ "total" : 12 ,\n  "currency":  "EUR" }',
    why: 'Some senders indent their JSON. Spaces are lost when it is parsed and serialized again.',
  },
  {
    name: 'escapes',
    title: 'Verifies a body with escaped characters',
    what: String.raw`\/ and \u00e9 in place of the characters`,
    properties: String.raw`{"path":"\/check","name":"Caf\u00e9"}`,
    why: 'Senders in PHP escape slashes, and senders in Python escape é. Escapes are lost when JSON is parsed and serialized again.',
  },
  {
    name: 'numbers',
    title: 'Verifies a body with numbers like 1.0 and 1e2',
    what: '1.0, 1e2 and 9007199254740993',
    properties: '{"price":1.0,"quantity":1e2,"order":9007199254740993}',
    why: 'An amount of 1.0 is serialized as 1, and an id above 2^53 becomes another number.',
  },
  {
    name: 'unicode',
    title: 'Verifies a body with characters outside ASCII',
    what: 'é and the line separator U+2028, not escaped',
    properties: '{"name":"Café","text":"one\u2028two"}',
    why: 'Names have accents. Python, PHP and Go escape some of these characters when they serialize JSON, and some receivers decode the bytes with another encoding.',
  },
  {
    name: 'order',
    title: 'Verifies a body with numeric keys',
    what: 'numeric keys in descending order',
    properties: '{"b":1,"10":2,"2":3,"a":4}',
    why: 'JavaScript moves keys like "2" before all others, and some languages sort all keys.',
  },
  {
    name: 'newline',
    title: 'Verifies a body with a trailing newline',
    what: 'a newline after its last brace',
    properties: '{"total":12,"currency":"EUR"}',
    end: '\n',
    why: 'Some senders end the body with a newline, which is lost when JSON is parsed and serialized again, or when the body is trimmed.',
  },
];

export const rawBytesChecks: readonly Check[] = oddBodies.map(checkOf);

function checkOf({ name, title, what, properties, end = '', why }: OddBody): Check {
  return {
    id: `sign.raw-bytes.${name}`,
    level: 'must',
    stage: 'beside',
    title,
    sends: `a valid event with ${what}`,
    requests: 1,
    passes: '2xx',
    why: `${why} The signature covers the bytes that were sent (GitHub: raw payload).`,
    fix: 'Verify the signature over the raw body, before any JSON parser sees it. Never parse and serialize the body again to verify it.',
    recipe: 'raw-body',
    notFor: withoutSecret,
    judge: async (prober) => {
      const event = oddEvent(prober, properties, end);
      const exchange = await prober.sendEvent(event);
      return acceptance(exchange, `a validly signed event with ${what}`);
    },
  };
}

/** A usual event whose properties are this text: JSON.stringify would not write it so. */
function oddEvent(prober: Prober, properties: string, end: string): CheckEvent {
  const { body, messageId } = prober.event('track', { properties: null });
  const text = body.toString().replace('"properties":null', () => `"properties":${properties}`);
  return { body: Buffer.from(text + end), messageId };
}
