const prefix = 'evfwd.page.';

/** For all visits, or for as long as the tab is open. */
type Place = 'localStorage' | 'sessionStorage';

/** What the page remembers from one visit to the next, one of these words. */
export function recall<T extends string>(name: string, words: readonly T[]): T {
  const found = recallText(name);
  return words.find((word) => word === found) ?? words[0]!;
}

/** The same for any text; empty when there is none, or when the browser keeps nothing. */
export function recallText(name: string, place: Place = 'localStorage'): string {
  try {
    return window[place].getItem(prefix + name) ?? '';
  } catch {
    return '';
  }
}

export function remember(name: string, text: string, place: Place = 'localStorage'): void {
  try {
    window[place].setItem(prefix + name, text);
  } catch {
    // A browser that keeps nothing shows the page all the same.
  }
}
