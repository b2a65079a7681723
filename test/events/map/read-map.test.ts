import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.js';
import { mapText } from '../../../src/events/map/map-text.js';
import { readMap } from '../../../src/events/map/read-map.js';

const vendors = ['segment', 'mixpanel'];
const read = (text: string) => readMap(text, 'map.yaml', vendors);

describe('a map file', () => {
  const whole = `
type: { path: kind, values: { purchase: track, login: identify } }
event: event_name
userId: distinct_id
timestamp: { path: [time, created], unit: auto, zone: Europe/Berlin }
messageId: uuid
properties: '*'
traits: { email: mail, plan: { const: [1, null] }, '*': 'user.*' }
context: { historical: { const: true }, page: { members: { path: page_path } } }
json: [user]
drop: [a.b, 'c\\.d']
skip: { path: kind, in: [session_start, 3] }
`;

  it('is read as plain data, and written as YAML that is read as the same', () => {
    const map = read(whole);
    expect(map.skip).toEqual({ path: 'kind', in: ['session_start', 3] });
    expect(map.context).toEqual({
      historical: { const: true },
      page: { members: { path: 'page_path' } },
    });
    expect(read(mapText(map))).toEqual(map);
    expect(structuredClone(map)).toEqual(map);
  });

  it('can be JSON', () => {
    expect(read('{"type":{"const":"track"}}')).toEqual({ type: { const: 'track' } });
  });

  it.each([
    ['', /^map.yaml:1: the map must be a mapping with some of the keys from, type,/],
    ['[1]', /^map.yaml:1: the map must be a mapping/],
    ['event: e', /^map.yaml:1: the map has no type: add one/],
    [
      'type: t\nuserid: u',
      /^map.yaml:2: userid is not a key of a map; did you mean userId\? \(one of /,
    ],
    ['from: heap', /^map.yaml:1: from must be one of segment, mixpanel$/],
    ['type: 3', /^map.yaml:1: type must be a path, or a mapping$/],
    ['type: a..b', /^map.yaml:1: type must be a path/],
    [
      'type: t\ntimestamp:\n  path: a\n  zone: Europe/Atlantis',
      /^map.yaml:4: timestamp.zone is "Europe\/Atlantis", which is no time zone/,
    ],
    [
      'type: t\ntimestamp: { path: a, unit: minutes }',
      /^map.yaml:2: timestamp.unit must be one of auto, s, ms, us, ns, iso$/,
    ],
    ['type: t\ntimestamp: { path: a, local: true }', /local, which needs a zone/],
    ['type: t\nuserId: { path: a, json: 1 }', /^map.yaml:2: userId.json must be true or false/],
    [
      'type: t\nuserId: { path: a, json: true, unit: s }',
      /userId has several ways to read a value/,
    ],
    ['type: t\nuserId: { path: [] }', /userId.path must be a path or a list of paths$/],
    [
      'type: t\nproperties:\n  a:\n    b: 4',
      /^map.yaml:4: properties.a.b must be a path, or a mapping$/,
    ],
    ["type: t\nproperties: { '*': a.b }", /properties.\* must be \*, or a path that ends in \.\*$/],
    [
      'type: t\nproperties: { n: { const: 12345678901234567890 } }',
      /properties.n.const has a number of too many digits/,
    ],
    ['type: t\nskip: { path: a, in: [] }', /^map.yaml:2: skip.in must not be empty$/],
    ['type: t\nskip: [{ path: a, in: [1] }, { path: b }]', /^map.yaml:2: skip.1.in is missing$/],
    ['type: t\ndrop: a', /^map.yaml:2: drop must be a list of paths$/],
    ['type: t\ntype: u', /^map.yaml:2: not valid YAML: the name is there twice; keep one$/],
    ['type: t\nproperties: *', /a value that begins with \* needs quotes, like "\*"/],
    ['type: t\n  event: {', /^map.yaml:\d: not valid YAML/],
    ['type: !x t', /^map.yaml:1: not valid YAML/],
  ])('is refused: %j', (text, message) => {
    expect(() => read(text)).toThrow(message);
    expect(() => read(text)).toThrow(UsageError);
  });

  it('whose aliases grow without end is refused', () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) => `  l${i + 1}: &l${i + 1} [${Array(9).fill(`*l${i}`).join(', ')}]`,
    );
    const text = `type: t\ncontext:\n  l0: &l0 { const: 1 }\n${levels.join('\n')}`;
    expect(() => read(text)).toThrow(/aliases cannot be expanded/);
  });
});
