import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { EventStream, type Feed } from '../../src/web/event-stream.js';

/** A page whose connection accepts nothing until the test drains it. */
class StalledPage extends Writable {
  text = '';
  #goOn: (() => void) | undefined;
  #isStalled = true;

  constructor() {
    super({ highWaterMark: 200, decodeStrings: false });
  }

  writeHead(): this {
    return this;
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.text += chunk;
    if (this.#isStalled) this.#goOn = done;
    else done();
  }

  async goOn(): Promise<void> {
    this.#isStalled = false;
    this.#goOn?.();
    while (this.writableLength > 0) await new Promise(setImmediate);
  }
}

const rows: number[] = [];
const feed: Feed = {
  name: 'rows',
  after: (sequence, most) => {
    const found = rows.slice(sequence, sequence + most);
    return { last: sequence + found.length, rows: found };
  },
};

it('takes no memory for a page that does not read, and sends it the newest when it does', async () => {
  const stream = new EventStream([feed]);
  const page = new StalledPage();
  stream.add(page as unknown as ServerResponse);
  for (let n = 1; n <= 1_000; n++) stream.broadcast('overview', { n, padding: 'x'.repeat(100) });
  stream.broadcast('other', 1);
  expect(page.writableLength).toBeLessThan(1_000);
  rows.push(7);
  await page.goOn();
  const reported = page.text.split('\n').filter((line) => line.startsWith('data: '));
  expect(reported.at(-3)).toContain('"n":1000,');
  expect(reported.slice(-2)).toEqual(['data: 1', 'data: [7]']);
  expect(reported.length).toBeLessThan(10);
  page.destroy();
});
