import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { builtHere } from '../../src/events/event.js';
import { fixtureNames, readFixture } from '../../src/events/fixtures.js';
import { parseLine } from '../../src/events/parse.js';

describe('the built-in events', () => {
  it.each(fixtureNames)('%s is a whole event on one line, the same as its file', async (name) => {
    const text = (await readFixture(name)).toString();
    const file = await readFile(new URL(`../../fixtures/${name}.json`, import.meta.url), 'utf8');
    expect(text).not.toContain('\n');
    expect(parseLine(Buffer.from(text), builtHere(name, 0))).not.toHaveProperty('code');
    expect(text).toBe(JSON.stringify(JSON.parse(file)));
    expect(JSON.parse(text)).toMatchObject({
      type: name,
      messageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
      context: { ip: expect.any(String), library: {}, userAgent: expect.any(String) },
    });
  });

  it('have the total of an order right', async () => {
    const event = JSON.parse((await readFixture('track')).toString()) as { properties: Order };
    const { products, total, revenue, tax, shipping } = event.properties;
    const sum = products.reduce((before, { price, quantity }) => before + price * quantity, 0);
    expect(sum).toBeCloseTo(total, 10);
    expect(revenue + tax + shipping).toBeCloseTo(total, 10);
  });

  it.each(['trak', '../package', ''])('do not include %j', async (name) => {
    await expect(readFixture(name)).rejects.toThrow(`there is no fixture "${name}"; did you mean`);
  });

  it('tell how to send the history, which is no single event', async () => {
    await expect(readFixture('history')).rejects.toThrow('evfwd fixtures history | evfwd import -');
  });
});

interface Order {
  products: { price: number; quantity: number }[];
  total: number;
  revenue: number;
  tax: number;
  shipping: number;
}
