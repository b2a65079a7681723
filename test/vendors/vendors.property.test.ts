import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mapperFor, vendors } from '../../src/vendors/index.js';
import { runs } from '../helpers/property-runs.js';
import { exported, outcomes } from './exports.js';

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, '', '[]', '{}', '{"a":1}', '{"a":', [], {}, [[]], [{}], [null], 0),
  fc.constantFrom<unknown>({ key: null }, [{ key: 'k', value: 3 }], [{ key: 'k', value: {} }], -1),
  fc.jsonValue({ maxDepth: 3 }),
);

describe.each(vendors)('a record of $name with odd values', ({ name }) => {
  it('becomes events or is rejected with one line', () => {
    const records = exported(name).map((bytes) => JSON.parse(bytes.toString()) as object);
    const mapper = mapperFor({ from: name });
    fc.assert(
      fc.property(
        fc.constantFrom(...records),
        fc.infiniteStream(fc.option(odd, { freq: 1 })),
        (record, values) => {
          const changed = JSON.stringify(replaced(record, values));
          for (const text of outcomes(mapper, changed)) {
            expect(JSON.parse(text)).toBeTypeOf('object');
            expect(text).not.toMatch(/\n/);
          }
        },
      ),
      { numRuns: runs(2_000) },
    );
  });
});

/** Some of the values of an object, on any level, replaced by the next of a stream. */
function replaced(given: unknown, values: Iterator<unknown>): unknown {
  if (Array.isArray(given)) return given.map((item) => replaced(item, values));
  if (typeof given !== 'object' || given === null) return given;
  const members = Object.entries(given).map(([name, value]) => {
    const other: unknown = values.next().value;
    return [name, other === null ? replaced(value, values) : other];
  });
  return Object.fromEntries(members) as unknown;
}
