import fc from 'fast-check';
import { objectText, valueText } from './json-text.js';

const names = [
  ...['userId', 'anonymousId', 'groupId', 'previousId', 'messageId', 'event', 'timestamp'],
  ...['properties', 'traits', 'context', 'integrations'],
];

/** What the rules of events tell apart. */
const memberText = fc.constantFrom(
  ...['""', '"a"', '"\\u0000"', '0', '-1.5', 'null', 'true', '{}', '[]', '[1]', '{"a":1}'],
  ...['" "', '"\u00a0\u1680\u2003"', '"\u3000\ufeff"', '"\\u0020"', '" \u3042"'],
  ...[`"${'x'.repeat(100)}"`, `"${'x'.repeat(101)}"`, `"${'é'.repeat(100)}"`],
  ...['"2026-11-20T08:30:00Z"', '"2026-02-30T08:30:00.000Z"', '"2026-11-20T08:30:00.000+0200"'],
);

/** Members of an event, some of them more than once, with texts as no encoder writes them. */
export const eventText = fc
  .tuple(
    fc.array(
      fc.oneof(
        fc.constantFrom('"type":"track"', '"type" : "page"', '"\\u0074ype":"identify"'),
        fc.constantFrom('"type":"group"', '"type":"alias"', '"type":"delete"', '"type":"other"'),
        fc.tuple(fc.constantFrom(...names), memberText).map(([name, text]) => `"${name}":${text}`),
        fc.constantFrom('"userId":"u"', '"anonymousId":7', '"event":"e"', '"__proto__":1', '"1":1'),
        fc.constantFrom('"timestamp":"2026-11-20T08:30:00.000Z"', '"messageId":"é"'),
        fc.constantFrom('"other":1', '"other":2', '"\\u006fther":1'),
        objectText.map((text) => `"properties":${text}`),
        valueText.map((text) => `"é":${text}`),
      ),
      { maxLength: 6 },
    ),
    fc.constantFrom('', '', ' '),
    fc.boolean(),
  )
  .map(([members, space, isWhole]) => {
    const all = isWhole ? ['"type":"track"', '"event":"e"', '"userId":"u"', ...members] : members;
    return `${space}{${all.join(`${space},`)}}${space}`;
  });
