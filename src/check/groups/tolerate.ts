import { acceptance, isRefusal } from '../acceptance.js';
import { type Check, notApplicable } from '../check.js';
import type { CheckEvent, Variation } from '../events.js';
import type { Prober } from '../prober.js';
import type { Level } from '../options.js';
import { isForm } from '../senders/sender.js';
import type { CheckSettings } from '../settings.js';

/** A valid event with something that a receiver may not expect. */
interface EdgeCase {
  readonly name: string;
  readonly level?: Level;
  readonly title: string;
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  readonly variation: Variation;
  /** Whether it is text outside ASCII, which says nothing where any such text is refused. */
  readonly isText?: true;
  /** What the usual event needs for it. Default: a place where anything may stand. */
  readonly needs?: Check['skipIf'];
}

const tolerant =
  'Store the body as received, return 2xx, and process it afterwards: then you retry what fails, not the sender.';
const anyText =
  'Read the body as UTF-8, and store text in columns with full Unicode (utf8mb4 in MySQL).';

const edgeCases: readonly EdgeCase[] = [
  {
    name: 'unknown-member',
    level: 'must',
    title: 'Accepts an unknown field',
    what: 'an undocumented top-level field',
    why: 'Senders add fields without notice. A strict schema then rejects every event (Stripe and GitHub add fields at any time).',
    fix: 'Ignore unknown fields: no additionalProperties: false in a schema, no extra="forbid" in a model.',
    variation: { members: { evfwdCheckMember: { added: 'later' } } },
    needs: unlessJson,
  },
  {
    name: 'unknown-event',
    level: 'must',
    title: 'Accepts an unknown event type',
    what: 'a type that does not exist yet',
    why: 'Senders add types, and an endpoint that refuses them gets retries for hours, or is disabled (GitHub continues to add new event types).',
    fix: 'Return 2xx in the default branch, and do nothing: not 404, not 400.',
    variation: { isUnknownKind: true },
    needs: withoutKind,
  },
  {
    name: 'null',
    title: 'Accepts null as a value',
    what: 'a property that is null',
    why: 'Senders often write null for a value that they do not have.',
    fix: `Treat null like a missing value. ${tolerant}`,
    variation: holding({ x: null }),
    needs: unlessJson,
  },
  {
    name: 'empty-object',
    title: 'Accepts empty properties',
    what: 'empty properties',
    why: 'Properties are optional, and many events have none.',
    fix: `Give each property that you read a default. ${tolerant}`,
    variation: holding({}),
    needs: unlessJson,
  },
  {
    name: 'emoji',
    title: 'Accepts emoji',
    what: 'emoji in a property',
    why: 'Names and comments have emoji, which take four bytes in UTF-8 and fail in a database column for three (utf8 in MySQL).',
    isText: true,
    fix: anyText,
    variation: holding({ comment: 'thanks 👍🏽 👩‍👩‍👧 🇪🇺 🎉' }),
  },
  {
    name: 'rtl',
    title: 'Accepts right-to-left text',
    what: 'Arabic and Hebrew in a property',
    why: 'Names are written in every script.',
    isText: true,
    fix: anyText,
    variation: holding({ name: 'مرحبا بالعالم', city: 'תל אביב' }),
  },
  {
    name: 'long-string',
    title: 'Accepts a text of 8,000 characters',
    what: 'a property of 8,000 characters',
    why: 'Comments and error messages are long. A column of 255 characters then fails for that event alone, again and again.',
    fix: 'Use columns without a length limit, or truncate the text; do not refuse the event.',
    variation: holding({ text: 'evfwd '.repeat(1_334).slice(0, 8_000) }),
  },
];

export const tolerateChecks: readonly Check[] = [
  ...edgeCases.map(checkOf),
  deepCheck(),
  largeCheck(),
];

function checkOf(edgeCase: EdgeCase): Check {
  const { variation, what } = edgeCase;
  return {
    ...factsOf(edgeCase),
    evaluate: async (prober) => {
      const exchange = await prober.sendValid(variation);
      if (edgeCase.isText && isRefusal(exchange)) {
        const accent = await prober.sendValid(holding({ name: 'Café' }));
        if (isRefusal(accent)) return notApplicable(refusedText);
      }
      return acceptance(exchange, named(what));
    },
  };
}

/** How deep the place is where anything may stand depends on the sender. */
function deepCheck(): Check {
  const what = 'objects nested 100 levels deep';
  const facts = factsOf({
    name: 'deep-100',
    title: 'Accepts objects 100 levels deep',
    what,
    why: 'Page builders and carts nest deeply. Some parsers stop at 32 or 64 levels (System.Text.Json).',
    fix: 'Raise the depth limit of the JSON parser to 100 or more, or keep the body unparsed until you need it.',
    needs: unlessJson,
  });
  return {
    ...facts,
    evaluate: async (prober) => {
      // The body itself is the first level; JSON.parse of Ruby stops behind 100.
      const content = nested(100 - prober.settings.sender.free!.length);
      return acceptance(await prober.sendValid(holding(content)), named(what));
    },
  };
}

/** How long the messageId is is only known when it is sent. */
function largeCheck(): Check {
  const what = 'a body of 32 KB';
  const facts = factsOf({
    name: '32KB',
    title: 'Accepts a body of 32 KB',
    what,
    why: 'Senders of analytics events allow 32 KB per event.',
    fix: 'Raise the body limit of the framework and of the proxy in front of it to at least 64 KB.',
  });
  return {
    ...facts,
    evaluate: async (prober) => {
      const event = largest(prober);
      return acceptance(await prober.sendEvent(event), named(what));
    },
  };
}

type Facts = Omit<Check, 'evaluate'>;

function factsOf({
  name,
  level = 'should',
  what,
  needs = withoutPlace,
  ...texts
}: Omit<EdgeCase, 'variation'>): Facts {
  const { title, why, fix } = texts;
  return {
    id: `tolerate.${name}`,
    level,
    stage: 'parallel',
    title,
    sends: `a valid event with ${what}`,
    requests: 1,
    passes: '2xx',
    why,
    fix,
    skipIf: needs,
  };
}

/** `skipIf` of what stands where anything may stand. */
function withoutPlace({ sender }: CheckSettings): string | undefined {
  return sender.free ? undefined : 'the body has no place for it';
}

function unlessJson(settings: CheckSettings): string | undefined {
  return isForm(settings.sender) ? 'the events are forms' : withoutPlace(settings);
}

function withoutKind(settings: CheckSettings): string | undefined {
  const why = 'nothing in the events tells their kind';
  return unlessJson(settings) ?? (settings.sender.kind ? undefined : why);
}

function holding(value: object): Variation {
  return { content: JSON.stringify(value) };
}

const refusedText =
  'any text outside ASCII is refused, so the receiver verifies other bytes than were sent';

const named = (what: string): string => `an event with ${what}`;

const maxBytes = 32 * 1024;

/** An event of exactly `maxBytes`: many members, as large events have, and a short text for the rest. */
function largest(prober: Prober): CheckEvent {
  const first = prober.event();
  const nowMs = Date.now();
  const eventWith = (items: number, filler = '') =>
    prober.variant(first, { nowMs, ...holding({ items: itemsOf(items), filler }) });
  const room = (items: number): number => maxBytes - eventWith(items).body.length;
  // Items differ in length by the digits of their numbers.
  let items = Math.floor(room(0) / (room(0) - room(1)));
  while (room(items) < 0) items--;
  return eventWith(items, 'x'.repeat(room(items)));
}

function itemsOf(count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({
    sku: `check-${index}`,
    name: 'An article in the cart',
    quantity: index,
  }));
}

/** An object of this depth. */
function nested(levels: number): object {
  return levels === 1 ? { end: true } : { level: nested(levels - 1) };
}
