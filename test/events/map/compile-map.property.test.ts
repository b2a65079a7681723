import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileMap } from '../../../src/events/map/compile-map.js';
import { runs } from '../../helpers/property-runs.js';

const name = fc.constantFrom('a', 'b', 'c', 'u.v', '\u00e9', '');
const value = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 0, 1.5, 'x', '\n"', []),
    fc.dictionary(name, tie('node'), { maxKeys: 4 }),
  ),
})).node;
const record = fc.dictionary(name, value, { maxKeys: 5 }).map((object) => ({ ...object }));

it('divides any record between a path and the star, without losing or doubling a value', () => {
  const paths = fc.constantFrom(
    ['a'],
    ['a', 'b'],
    ['b', 'c'],
    ['u.v'],
    ['a', 'b', 'c'],
    ['\u00e9'],
  );
  fc.assert(
    fc.property(record, paths, fc.nat(3), (given, path, indent) => {
      const text = path.map((part) => part.replaceAll('.', '\\.')).join('.');
      const mapper = compileMap({
        type: { const: 'track' },
        context: { v: text },
        properties: '*',
      });
      const result = mapper.map(Buffer.from(JSON.stringify(given, undefined, indent)));
      const [bytes] = (result as { events: Buffer[] }).events;
      const event = JSON.parse(bytes!.toString()) as Record<string, Record<string, unknown>>;
      const { found, rest } = taken(given, path);
      expect(event.context?.v).toEqual(found ?? undefined);
      expect(event.properties ?? {}).toEqual(rest ?? {});
    }),
    { numRuns: runs(3_000) },
  );
});

/** The value at a path, and the object without it, or undefined if nothing else is in it. */
function taken(
  given: unknown,
  [first, ...inner]: readonly string[],
): { found?: unknown; rest?: unknown } {
  const object = typeof given === 'object' && given !== null && !Array.isArray(given);
  if (!object || !Object.hasOwn(given, first!)) return { rest: given };
  const { [first!]: value, ...others } = given as Record<string, unknown>;
  const { found, rest } =
    inner.length === 0 ? { found: value, rest: undefined } : taken(value, inner);
  // An object that had no member before keeps its place.
  const kept = inner.length > 0 && rest !== undefined ? { ...others, [first!]: rest } : others;
  return { found, ...(Object.keys(kept).length > 0 && { rest: kept }) };
}

it('never throws for any bytes', () => {
  const mapper = compileMap({
    type: 'a',
    userId: 'b.c',
    properties: '*',
    json: ['b'],
    timestamp: 'c',
  });
  const json = fc.json().map((text) => Buffer.from(text));
  const bytes = fc.uint8Array().map((array) => Buffer.from(array));
  const object = record.map((given) => Buffer.from(JSON.stringify(given)));
  fc.assert(
    fc.property(fc.oneof(json, bytes, object), (text) => {
      const result = mapper.map(text);
      if (result !== 'skipped' && 'events' in result) {
        for (const event of result.events)
          expect(JSON.parse(event.toString())).toBeTypeOf('object');
      }
    }),
    { numRuns: runs(3_000) },
  );
});
