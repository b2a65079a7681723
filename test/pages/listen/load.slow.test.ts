import type { Page } from 'playwright-core';
import { Client } from 'undici';
import { expect, it } from 'vitest';
import { describeInBrowser, namesOf, useBrowser } from './browser.js';
import { startListen, type Listen } from './listen.js';

const connections = 32;
/** The page shares the machine with what it is flooded by. */
const patient = { timeout: 90_000 };

function nameOf(number: number): string {
  return `Event ${String(number).padStart(5, '0')}`;
}

/** As fast as they are taken. Returns requests per second. */
async function flood({ url }: Listen, from: number, count: number): Promise<number> {
  const began = performance.now();
  let next = from;
  const work = async (): Promise<void> => {
    const client = new Client(url);
    while (next < from + count) {
      const body = `{"type":"track","userId":"u${next % 97}","event":"${nameOf(next++)}"}`;
      const answer = await client.request({ path: '/hook', method: 'POST', body });
      await answer.body.dump();
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: connections }, work));
  return (count / (performance.now() - began)) * 1000;
}

/** Notes from now on how long each frame takes, and how long each key until it is drawn. */
async function startMeasuring(page: Page): Promise<void> {
  await page.evaluate(() => {
    const times = { frames: [] as number[], keys: [] as number[] };
    Object.assign(window, { times });
    let before = performance.now();
    const frame = (now: number): void => {
      times.frames.push(now - before);
      before = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    addEventListener('keydown', ({ timeStamp }) =>
      requestAnimationFrame(() => setTimeout(() => times.keys.push(performance.now() - timeStamp))),
    );
  });
}

async function measured(page: Page): Promise<string> {
  const { frames, keys } = await page.evaluate(
    () => (window as unknown as { times: Record<'frames' | 'keys', number[]> }).times,
  );
  const at = (list: number[], share: number): string =>
    `${Math.round(list.toSorted((a, b) => a - b)[Math.floor((list.length - 1) * share)] ?? 0)} ms`;
  return `frames p50 ${at(frames, 0.5)}, p95 ${at(frames, 0.95)}, longest ${at(frames, 1)}; keys until drawn p50 ${at(keys, 0.5)}, longest ${at(keys, 1)}`;
}

/** Presses a key that moves the cursor, and waits until the page shows it in another row. */
async function moveCursor(page: Page, key: 'j' | 'k'): Promise<void> {
  const grid = page.getByRole('grid', { name: 'Requests' });
  const row = () => grid.getAttribute('aria-activedescendant');
  const before = await row();
  await page.keyboard.press(key);
  await expect.poll(row, { interval: 5, ...patient }).not.toBe(before);
}

describeInBrowser('10,000 requests at full speed', () => {
  const { open } = useBrowser();

  it('are all counted while the page goes on answering keys', async () => {
    const listen = await startListen([], false);
    const page = await open(listen);
    for (const name of ['First', nameOf(1), nameOf(2)]) await listen.track(name);
    await expect.poll(() => namesOf(page)).toEqual([nameOf(2), nameOf(1), 'First']);
    // To the middle one of three rows: from there both keys move the cursor, even before the first request of the load.
    for (let i = 0; i < 2; i++) await moveCursor(page, 'j');
    await startMeasuring(page);
    const flooding = flood(listen, 3, 9_997);
    let hasEnded = false;
    const isOver = (): boolean => hasEnded;
    const over = flooding.finally(() => (hasEnded = true));
    let answered = 0;
    while (!isOver()) {
      await moveCursor(page, 'j');
      await moveCursor(page, 'k');
      // The last ones may have been answered when all requests had come.
      if (!isOver()) answered += 2;
    }
    const perSecond = Math.round(await over);
    expect(answered).toBeGreaterThan(0);
    process.stdout.write(`page open at ${perSecond} requests/s: ${await measured(page)}\n`);

    const grid = page.getByRole('grid', { name: 'Requests' });
    await expect.poll(() => grid.getAttribute('aria-rowcount'), patient).toBe('10001');
    await page.getByText('10,000 requests', { exact: true }).first().waitFor(patient);
    expect((await listen.stats()).requests).toBe(10_000);
    // No more rows are drawn than can be seen.
    expect(await page.locator('#requests [id^=request-]').count()).toBeLessThan(60);

    // Each one is there: found by search, or at the end.
    for (const name of [1, 4711, 9_999].map(nameOf)) {
      await page.getByRole('searchbox').fill(name);
      await expect.poll(() => namesOf(page)).toContain(name);
    }
    await page.getByRole('searchbox').fill('');
    await page.keyboard.press('Escape');
    await page.keyboard.press('End');
    await expect.poll(() => namesOf(page)).toContain('First');
  });

  it('push out the oldest where there were some, and the page says so', async () => {
    const listen = await startListen([], false);
    await flood(listen, 1, 500);
    const page = await open(listen);
    await expect.poll(() => namesOf(page)).toContain(nameOf(500));
    await flood(listen, 501, 10_000);
    await page.getByText('newest 10,000 of 10,500 requests').waitFor(patient);
    await page.getByRole('searchbox').fill('"Event 005"');
    // From 501 on; what came before has gone.
    await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('100');
    await page.getByRole('searchbox').fill('');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('End');
    await expect.poll(() => namesOf(page)).toContain(nameOf(501));
    expect(await namesOf(page)).not.toContain(nameOf(500));
  });
});
