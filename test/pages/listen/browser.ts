import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject } from 'vitest';
import '../../helpers/start-chromium.js';

/** A `describe` that is skipped on a machine without a browser. */
export const describeInBrowser = describe.skipIf(inject('browserEndpoint') === '');

/** What has a page below `/_evfwd/`. */
interface Served {
  readonly url: string;
}

/** The browser, for the tests of a file. */
export interface OpenBrowser {
  /** Opens the page of a server in a fresh profile, once it is live, or shows another text. */
  readonly open: (server: Served, options?: BrowserContextOptions, until?: string) => Promise<Page>;
}

/** Connects to the browser before the tests, and fails each test whose page broke a rule. */
export function useBrowser(): OpenBrowser {
  let browser: Browser;
  const offences: string[] = [];
  beforeAll(async () => {
    browser = await chromium.connect(inject('browserEndpoint'));
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    expect(offences.splice(0)).toEqual([]);
  });
  return {
    open: async (server, options = {}, until = 'Live') => {
      const viewport = { width: 1280, height: 800 };
      const context = await browser.newContext({ viewport, locale: 'en-GB', ...options });
      const page = await context.newPage();
      watch(page, server.url, offences);
      await page.goto(`${server.url}/_evfwd/`);
      await page.getByText(until, { exact: true }).waitFor();
      return page;
    },
  };
}

/** What no page of ours may do: throw, break the policy, open a dialog, ask anyone but its server. */
function watch(page: Page, url: string, offences: string[]): void {
  page.on('pageerror', (error) => offences.push(`threw ${error.message}`));
  page.on('dialog', (dialog) => {
    offences.push(`opened a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    const text = message.text();
    if (/Content Security Policy|violates/i.test(text)) offences.push(`broke the policy: ${text}`);
  });
  page.context().on('request', (request) => {
    const isOurs = request.url().startsWith(`${url}/_evfwd/`) || request.url().startsWith('data:');
    if (!isOurs) offences.push(`asked for ${request.url()}`);
  });
}

/** The requests in sight, from the top, each as the words of its row. */
export async function rowsOf(page: Page): Promise<string[]> {
  const rows = page.getByRole('grid', { name: 'Requests' }).getByRole('row');
  return (await rows.allInnerTexts()).slice(1).map((text) => text.replaceAll(/\s+/g, ' ').trim());
}

/** Unfolds the filters of the list. */
export async function unfoldFilters(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Filters', exact: true }).click();
}

/** The names of the events in sight, from the top. */
export async function namesOf(page: Page): Promise<string[]> {
  return page.locator('#requests [id^=request-] .name').allInnerTexts();
}

/** The open request. */
export function detailOf(page: Page) {
  return page.getByRole('region', { name: 'Request', exact: true });
}

/** Opens the request whose row has this text. */
export async function openRequest(page: Page, text: string): Promise<void> {
  await page.locator('#requests [id^=request-]', { hasText: text }).first().click();
  await detailOf(page).getByRole('heading', { name: 'Headers' }).waitFor();
}
