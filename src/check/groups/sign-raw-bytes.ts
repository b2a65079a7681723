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
    why: 'Some senders indent their JSON. Spaces are lost when it is parsed and written again.',
  },
  {
    name: 'escapes',
    title: 'Verifies a body with escaped characters',
    what: String.raw`\/ and \u00e9 in place of the characters`,
    properties: String.raw`{"path":"\/check","name":"Caf\u00e9"}`,
    why: 'Senders in PHP escape slashes, and senders in Python escape é. Escapes are lost when JSON is parsed and written again.',
  },
  {
    name: 'numbers',
    title: 'Verifies a body with numbers in other forms',
    what: '1.0, 1e2 and 9007199254740993',
    properties: '{"price":1.0,"quantity":1e2,"order":9007199254740993}',
    why: 'An amount of 1.0 is written again as 1, and an id above 2^53 becomes another number.',
  },
  {
    name: 'unicode',
    title: 'Verifies a body with characters outside ASCII',
    what: 'é and the line separator U+2028, not escaped',
    properties: '{"name":"Café","text":"one\u2028two"}',
    why: 'Names have accents. Python, PHP and Go write some of these characters with escapes, or a receiver reads the bytes as another encoding.',
  },
  {
    name: 'order',
    title: 'Verifies a body with keys that are numbers',
    what: 'keys that are numbers, in falling order',
    properties: '{"b":1,"10":2,"2":3,"a":4}',
    why: 'JavaScript moves keys like "2" before all others, and some languages sort all keys.',
  },
  {
    name: 'newline',
    title: 'Verifies a body with a newline at its end',
    what: 'a newline behind its last brace',
    properties: '{"total":12,"currency":"EUR"}',
    end: '\n',
    why: 'Some senders end the body with a newline, which is lost when JSON is parsed and written again, or when the body is trimmed.',
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
    why: `${why} The signature is of the bytes that were sent (GitHub: raw payload).`,
    fix: 'Verify the signature over the raw body before any JSON parser sees it. Do not parse it and write it again.',
    recipe: 'raw-body',
    notFor: withoutSecret,
    judge: async (prober) => {
      const event = oddEvent(prober, properties, end);
      const exchange = await prober.send(prober.validRequest(event));
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
