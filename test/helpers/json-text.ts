import fc, { type Arbitrary } from 'fast-check';

/** JSON texts, not values: the same value in its many spellings, also those that no encoder writes. */

const space = fc.constantFrom('', '', '', ' ', '\t', ' \n ', '\r\n');

export const numberText = fc.oneof(
  fc.constantFrom(
    ...['9007199254740993', '-9007199254740993', '1e400', '-1e400', '-0', '0', '1.0', '1.10'],
    ...['1E+2', '1e-7', '0.1000000000000000055511151231257827', '123456789012345678901234567890'],
  ),
  fc.integer().map(String),
);

const characterText = fc.constantFrom(
  ...[
    'a',
    'Z',
    '7',
    ' ',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    "'",
    '/',
    'é',
    '\u{1f600}',
    '\u2028',
    '\u2029',
  ],
  ...['\u007f', '\\u0000', '\\u0061', '\\u00E9', '\\ud800', '\\udfff', '\\ud83d\\ude00', '\\u2028'],
  ...['\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t', '<', '&'],
);

export const stringText: Arbitrary<string> = fc
  .array(characterText, { maxLength: 12 })
  .map((characters) => `"${characters.join('')}"`);

const nameText = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('"a"', '"b"', '"\\u0061"', '"type"', '"userId"', '""', '"1"'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('"__proto__"', '"constructor"', '"toString"', '"hasOwnProperty"'),
  },
  // Node 24.21 reads the name "\u0061" as this one, once it has read this one.
  { weight: 2, arbitrary: stringText.filter((text) => text !== '"\\\\"') },
);

/** Objects and arrays with random space; names may be duplicated. */
function inBrackets(open: string, items: Arbitrary<string[]>, close: string): Arbitrary<string> {
  return fc.tuple(items, space, space).map(([texts, before, behind]) => {
    return `${open}${before}${texts.join(`${behind},${before}`)}${behind}${close}`;
  });
}

const { value, object } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false'),
    numberText,
    stringText,
    inBrackets('[', fc.array(tie('value'), { maxLength: 4 }), ']'),
    tie('object'),
  ),
  object: inBrackets(
    '{',
    fc.array(
      fc
        .tuple(nameText, space, tie('value'))
        .map(([name, gap, text]) => `${name}${gap}:${gap}${text}`),
      { maxLength: 5 },
    ),
    '}',
  ),
}));

export const valueText = value;
export const objectText = object;

/** An object of these members, in this order, with space between them. */
export function objectOf(
  members: readonly (readonly [nameText: string, text: string])[],
): Arbitrary<string> {
  return fc.array(space, { minLength: 4, maxLength: 4 }).map((gaps) => {
    const [a = '', b = '', c = '', d = ''] = gaps;
    return `{${a}${members.map(([name, text]) => `${name}${b}:${c}${text}`).join(`${d},${a}`)}${d}}`;
  });
}
