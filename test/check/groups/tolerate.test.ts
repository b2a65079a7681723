import { describe, expect, it } from 'vitest';
import { tolerateChecks } from '../../../src/check/groups/tolerate.js';
import { github } from '../../../src/check/senders/github.js';
import { shopify } from '../../../src/check/senders/shopify.js';
import { stripe } from '../../../src/check/senders/stripe.js';
import { startEndpoint } from '../helpers/hook.js';
import { foundBy, evaluate } from '../helpers/evaluate.js';

interface Event {
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

const read = (body: Buffer): Event => JSON.parse(body.toString()) as Event;

/** What a receiver does with a body; it is answered 500 if this throws. */
const faults: [string, (body: Buffer) => unknown, string[]][] = [
  [
    'knows no other members',
    (body) => {
      const known = 'version type userId messageId timestamp context event properties'.split(' ');
      if (Object.keys(read(body)).some((key) => !known.includes(key))) throw new Error();
    },
    ['unknown-member'],
  ],
  [
    'knows no other types',
    (body) => {
      if (read(body).type !== 'track') throw new Error();
    },
    ['unknown-event'],
  ],
  [
    'reads a member of each property',
    (body) => Object.values(read(body).properties).map((value) => (value as string).length),
    ['null'],
  ],
  ['needs a property', (body) => Object.keys(read(body).properties)[0]!.length, ['empty-object']],
  [
    'stores three bytes a character',
    (body) => {
      if (/[\u{10000}-\u{10ffff}]/u.test(body.toString())) throw new Error();
    },
    ['emoji'],
  ],
  [
    'has ASCII alone',
    (body) => {
      if (body.some((byte) => byte > 127)) throw new Error();
    },
    ['emoji', 'rtl'],
  ],
  [
    'stores 4,000 characters',
    (body) => {
      if (/"[^"]{4001,}"/.test(body.toString())) throw new Error();
    },
    ['long-string'],
  ],
  [
    'parses 64 levels',
    (body) => {
      if (depth(body) > 64) throw new Error();
    },
    ['deep-100'],
  ],
  [
    'reads 16 KB',
    (body) => {
      if (body.length > 16_384) throw new Error();
    },
    ['32KB'],
  ],
  ['takes everything', () => undefined, []],
];

describe('tolerate.*', () => {
  it.each(faults)('fails for a receiver that %s what names it', async (_, handle, names) => {
    const url = await startEndpoint(({ body }) => {
      handle(body);
      return 200;
    });
    const expected = names.map((name) => [`tolerate.${name}`, 'failed'] as const);
    expect(await foundBy(tolerateChecks, url)).toEqual(Object.fromEntries(expected));
  });

  it('say nothing of emoji where any text outside ASCII is refused', async () => {
    const url = await startEndpoint(({ body }) => (body.some((byte) => byte > 127) ? 401 : 204));
    const found = await foundBy(tolerateChecks, url);
    expect(found).toEqual({ 'tolerate.emoji': 'notApplicable', 'tolerate.rtl': 'notApplicable' });
    const other = await startEndpoint(({ body }) =>
      /[\u{10000}-\u{10ffff}]/u.test(body.toString()) ? 401 : 204,
    );
    expect(await foundBy(tolerateChecks, other)).toEqual({ 'tolerate.emoji': 'failed' });
  });

  it('sends what it says', async () => {
    const { exchanges } = await evaluate(tolerateChecks, await startEndpoint(() => 200));
    const bodyOf = (name: string): Buffer =>
      exchanges.find(({ checkId }) => checkId === `tolerate.${name}`)!.request.body;
    expect(bodyOf('32KB')).toHaveLength(32_768);
    expect(bodyOf('32KB').toString()).not.toMatch(/"[^"]{1000}/);
    expect(depth(bodyOf('deep-100'))).toBe(100);
    expect(read(bodyOf('null')).properties).toEqual({ x: null });
    expect(read(bodyOf('empty-object')).properties).toEqual({});
    expect(bodyOf('long-string').toString()).toMatch(/"[^"]{8000}"/);
  });

  it.each([
    ['stripe', stripe],
    ['github', github],
    ['shopify', shopify],
  ])(
    'sends 100 levels also where what may be anything is deeper in the body: %s',
    async (_, sender) => {
      const deep = tolerateChecks.filter(({ id }) => id === 'tolerate.deep-100');
      const { exchanges } = await evaluate(deep, await startEndpoint(() => 200), { sender });
      expect(depth(exchanges[0]!.request.body)).toBe(100);
    },
  );
});

/** How many braces are open at once. */
function depth(body: Buffer): number {
  let [open, most] = [0, 0];
  for (const character of body.toString()) {
    if (character === '{') most = Math.max(most, ++open);
    if (character === '}') open--;
  }
  return most;
}
