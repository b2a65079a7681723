import { acceptance } from '../acceptance.js';
import { type Check, notApplicable } from '../check.js';
import type { CheckEvent } from '../events.js';
import type { Prober } from '../prober.js';
import { withoutSecret } from '../scheme-needs.js';
import { isForm } from '../senders/sender.js';
import { spellings, type Spelling } from '../spelling.js';

/** A body that does not survive being parsed and written again. */
interface UnusualBody {
  readonly name: string;
  readonly title: string;
  readonly what: string;
  /** What stands where anything may stand, as text. */
  readonly content?: string;
  /** The same with what a body has: a sample of the user gets nothing else. */
  readonly spelling: Spelling;
  /** What that is in a sample. */
  readonly whatOfSample: string;
  readonly why: string;
}

const unusualBodies: readonly UnusualBody[] = [
  {
    name: 'space',
    title: 'Verifies a body with extra spaces',
    what: 'spaces and newlines between its members',
    content: '{ "total" : 12 ,\n  "currency":  "EUR" }',
    spelling: spellings.spaced,
    whatOfSample: 'each member in a line of its own',
    why: 'Some senders indent their JSON. Spaces are lost when it is parsed and serialized again.',
  },
  {
    name: 'escapes',
    title: 'Verifies a body with escaped characters',
    what: String.raw`\/ and \u00e9 in place of the characters`,
    content: String.raw`{"path":"\/check","name":"Caf\u00e9"}`,
    spelling: spellings.escaped,
    whatOfSample: 'the first letters of its texts and its slashes escaped',
    why: 'Senders in PHP escape slashes, and senders in Python escape é. Escapes are lost when JSON is parsed and serialized again.',
  },
  {
    name: 'numbers',
    title: 'Verifies a body with numbers like 1.0 and 1e2',
    what: '1.0, 1e2 and 9007199254740993',
    content: '{"price":1.0,"quantity":1e2,"order":9007199254740993}',
    spelling: spellings.withZeros,
    whatOfSample: 'a zero added to its fractions',
    why: 'An amount of 1.0 is serialized as 1, and an id above 2^53 becomes another number.',
  },
  {
    name: 'unicode',
    title: 'Verifies a body with characters outside ASCII',
    what: 'é and the line separator U+2028, not escaped',
    content: '{"name":"Café","text":"one\u2028two"}',
    spelling: spellings.beyondAscii,
    whatOfSample: 'its characters outside ASCII, not escaped',
    why: 'Names have accents. Python, PHP and Go escape some of these characters when they serialize JSON, and some receivers decode the bytes with another encoding.',
  },
  {
    name: 'order',
    title: 'Verifies a body with numeric keys',
    what: 'numeric keys in descending order',
    content: '{"b":1,"10":2,"2":3,"a":4}',
    spelling: spellings.reversed,
    whatOfSample: 'its members in reverse order',
    why: 'JavaScript moves keys like "2" before all others, and some languages sort all keys.',
  },
  {
    name: 'newline',
    title: 'Verifies a body with a trailing newline',
    what: 'a newline after its last brace',
    spelling: spellings.withNewline,
    whatOfSample: 'a newline at its end',
    why: 'Some senders end the body with a newline, which is lost when JSON is parsed and serialized again, or when the body is trimmed.',
  },
];

export const rawBytesChecks: readonly Check[] = unusualBodies.map(checkOf);

function checkOf({ name, title, what, whatOfSample, content, spelling, why }: UnusualBody): Check {
  return {
    id: `sign.raw-bytes.${name}`,
    level: 'must',
    stage: 'parallel',
    title,
    sends: `a valid event with ${what}`,
    requests: 1,
    passes: '2xx',
    why: `${why} The signature covers the bytes that were sent (GitHub: raw payload).`,
    fix: 'Verify the signature over the raw body, before any JSON parser sees it. Never parse and serialize the body again to verify it.',
    cause: 'raw body',
    skipIf: (settings) =>
      withoutSecret(settings) ??
      (isForm(settings.sender) ? 'the events are forms, not JSON' : undefined),
    evaluate: async (prober) => {
      const event = unusualEvent(prober, content, spelling);
      if (!event) return notApplicable('the sample has nothing that could be written so');
      const exchange = await prober.sendEvent(event);
      const { isSample } = prober.settings.sender;
      return acceptance(exchange, `a validly signed event with ${isSample ? whatOfSample : what}`);
    },
  };
}

/** A usual event that JSON.stringify would not write so; undefined if there is none. */
function unusualEvent(
  prober: Prober,
  content: string | undefined,
  spelling: Spelling,
): CheckEvent | undefined {
  if (content !== undefined && !prober.settings.sender.isSample) return prober.event({ content });
  const event = prober.event();
  const text = spelling(event.body.toString());
  return text === undefined ? undefined : { ...event, body: Buffer.from(text) };
}
