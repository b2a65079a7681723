const name = 'evfwd.service.token';

/** The token of this tab: it survives a reload, and is deleted when the tab is closed. */
export function keptToken(): string {
  try {
    return sessionStorage.getItem(name) ?? '';
  } catch {
    return '';
  }
}

export function keepToken(token: string): void {
  try {
    sessionStorage.setItem(name, token);
  } catch {
    // A browser that keeps nothing asks again.
  }
}

export function forgetToken(): void {
  try {
    sessionStorage.removeItem(name);
  } catch {
    // Nothing was kept.
  }
}
