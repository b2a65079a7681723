import { describe, expect, it } from 'vitest';
import { parseCondition } from '../../src/events/where.js';
import { valueAtPath } from '../../src/json/path.js';

const event = Buffer.from(
  JSON.stringify({
    type: 'track',
    timestamp: '2026-03-01T12:00:00.500Z',
    none: null,
    properties: { total: 10.5, text: '10.5', name: 'Order Completed', flag: true, 'a.b': 1 },
  }).replace('10.5,', '10.50,'),
);

describe('a condition', () => {
  it.each([
    ['type=track', true],
    ['type=page', false],
    ['type!=page', true],
    ['missing!=page', true],
    ['missing=page', false],
    ['type', true],
    ['missing', false],
    ['!missing', true],
    ['!type', false],
    ['none', true],
    ['none=null', true],
    ['properties.name~Order *', true],
    ['properties.name~order *', false],
    ['missing~*', false],
    ['properties.flag=true', true],
    ['properties.a\\.b=1', true],
    ['properties.total=10.50', true],
    ['properties.total=10.5', false],
    ['properties.total>=10.5', true],
    ['properties.total>10.5', false],
    ['properties.total<1.06e1', true],
    ['properties.text>=10', false],
    ['missing<10', false],
    ['properties.name>1', false],
    ['timestamp>=2026-03-01T12:00:00Z', true],
    ['timestamp<2026-03-01T12:00:00Z', false],
    ['timestamp<2026-03-01T14:00:00+02:00', false],
    ['timestamp<=2026-03-01T13:00:01+01:00', true],
    ['properties.name=Order Completed', true],
    ['type=track=1', false],
  ])('%s is %s of an event', (text, expected) => {
    expect(parseCondition(text)((path) => valueAtPath(event, path))).toBe(expected);
  });

  it.each(['', '=x', '!', '!a=b', 'a..b', '.a', '~x'])('"%s" is refused', (text) => {
    expect(() => parseCondition(text)).toThrow('is not a condition');
  });

  it.each(['a>x', 'a<', 'a>=yesterday', 'a<=01'])(
    '%s compares with neither number nor time',
    (text) => {
      expect(() => parseCondition(text)).toThrow('compares numbers, or times');
    },
  );
});
