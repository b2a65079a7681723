import fc from 'fast-check';
import { expect, it } from 'vitest';
import { timeText } from '../../../src/events/map/time-text.js';
import { Zone } from '../../../src/events/map/zone.js';
import { isTimestamp } from '../../../src/events/timestamp.js';
import { runs } from '../../helpers/property-runs.js';

const units = { s: 0, ms: 3, us: 6, ns: 9 } as const;
const unit = fc.constantFrom('s', 'ms', 'us', 'ns');
const rules = { zone: undefined, local: false };

/** Years 0 to 9999. */
const seconds = fc.bigInt(-62_167_219_200n, 253_402_300_799n);

it('keeps every digit of a number in any unit, before and after 1970', () => {
  fc.assert(
    fc.property(seconds, fc.stringMatching(/^\d{9}$/), unit, (whole, digits, given) => {
      const power = units[given];
      const part = digits.slice(0, power);
      const number = whole * 10n ** BigInt(power) + BigInt(part || 0);
      const time = timeText(String(number), { ...rules, unit: given }) as string;
      expect(isTimestamp(time)).toBe(true);
      const [, date, fraction] = /^(.*)\.(\d+)Z$/.exec(time)!;
      expect(BigInt(Date.parse(`${date!}Z`)) / 1000n).toBe(whole);
      expect(fraction).toBe(part.padEnd(3, '0'));
    }),
    { numRuns: runs(5_000) },
  );
});

it('reads a number by its value, however it is spelled', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e9 }), fc.nat(12), unit, (whole, shift, given) => {
      const plain = timeText(String(whole), { ...rules, unit: given }) as string;
      const exponent = timeText(`${whole}${'0'.repeat(shift)}e-${shift}`, {
        ...rules,
        unit: given,
      }) as string;
      const moved = timeText(`0.${String(whole).padStart(12, '0')}E+12`, { ...rules, unit: given });
      // Zeros at the end of a fraction are digits that were given.
      expect(exponent.replace(/(\.\d{3}\d*?)0*Z/, '$1Z')).toBe(
        plain.replace(/(\.\d{3}\d*?)0*Z/, '$1Z'),
      );
      expect(moved).toBe(plain);
    }),
    { numRuns: runs(5_000) },
  );
});

it('returns a timestamp or a reason for any text', () => {
  const zone = new Zone('Europe/Berlin');
  const near = fc.stringMatching(
    /^\d{4}-[01]\d-[0-3]\d[ T][0-2]\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|\+0\d)?$/,
  );
  fc.assert(
    fc.property(fc.oneof(near, fc.string(), fc.double().map(String)), (text) => {
      const time = timeText(text, { unit: 'auto', zone, local: true });
      if (typeof time === 'string') expect(isTimestamp(time)).toBe(true);
      else expect(time.reason).toMatch(/^(?:is|has|could) /);
    }),
    { numRuns: runs(5_000) },
  );
});
