import type { Page } from 'playwright-core';

/** Everything that can be used but has no name that could be read out. */
export function nameless(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const nameOf = (element: Element): string => {
      const by = element.getAttribute('aria-labelledby')?.split(' ') ?? [];
      const labels = (element as HTMLInputElement).labels ?? [];
      return [
        element.getAttribute('aria-label'),
        element.querySelector('[aria-label]')?.getAttribute('aria-label'),
        ...by.map((id) => document.getElementById(id)?.textContent),
        ...[...labels].map((label) => label.textContent),
        element.textContent,
      ]
        .join('')
        .trim();
    };
    const usable = 'button, a, input, select, dialog, [role], section, [tabindex]';
    return [...document.querySelectorAll(usable)]
      .filter(
        (element) =>
          !['presentation', 'rowgroup', 'gridcell', 'status', 'alert'].includes(element.role ?? ''),
      )
      .filter((element) => nameOf(element) === '')
      .map((element) => element.outerHTML.slice(0, 120));
  });
}

/** Texts in sight whose contrast with what is behind them is below 4.5 to 1. */
export function faint(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    type Color = [red: number, green: number, blue: number, alpha: number];
    const parse = (text: string): Color => {
      const [red = 0, green = 0, blue = 0, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
      return [red, green, blue, alpha];
    };
    const backgroundOf = (element: Element | null): Color => {
      if (!element) return [255, 255, 255, 1];
      const color = parse(getComputedStyle(element).backgroundColor);
      return color[3] === 1 ? color : backgroundOf(element.parentElement);
    };
    const luminance = (color: Color): number => {
      const [red, green, blue] = color.slice(0, 3).map((part) => {
        const share = part / 255;
        return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
    };
    const contrast = (element: Element): number => {
      const [one, other] = [
        luminance(parse(getComputedStyle(element).color)),
        luminance(backgroundOf(element)),
      ];
      return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    };
    const isSeen = (element: Element): boolean =>
      element.checkVisibility() && !element.closest('.sr-only, .skip, :disabled, option, noscript');
    return [...document.querySelectorAll('body *')]
      .filter((e) =>
        [...e.childNodes].some((node) => node.nodeType === 3 && node.nodeValue!.trim()),
      )
      .filter((element) => isSeen(element) && contrast(element) < 4.5)
      .map(
        (element) =>
          `${element.className} ${element.textContent.slice(0, 40)} ${contrast(element)}`,
      );
  });
}
