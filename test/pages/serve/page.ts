import type { Page } from 'playwright-core';

/** The outcomes in sight, from the top, each as the words of its row without the time. */
export async function outcomesOf(page: Page): Promise<string[]> {
  const rows = await page.locator('#outcomes [id^=outcome-]').allInnerTexts();
  return rows.map((text) =>
    text
      .replaceAll(/\s+/g, ' ')
      .trim()
      .replace(/^[\d:.]+ /, ''),
  );
}

/** The row of a destination in the overview. */
export function destinationOf(page: Page, name: string) {
  return page
    .locator('.destinations tbody tr')
    .filter({ has: page.getByRole('button', { name, exact: true }) });
}

export function detailOf(page: Page) {
  return page.getByRole('region', { name: 'Event', exact: true });
}

/** Looks for something, as an operator would who has it on the clipboard. */
export async function searchFor(page: Page, text: string): Promise<void> {
  await page.keyboard.press('/');
  await page.keyboard.insertText(text);
}

/** Opens a list by its name. */
export async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('button', { name }).click();
}
