import { effect } from '@preact/signals';
import { render, type ComponentChild } from 'preact';
import type { ListPage, Theme } from '../view/list-page.js';
import { PageContext } from '../view/page.js';

/** Renders a page once its server has sent its setup, or an error. */
export async function startPage(make: () => Promise<ListPage>, app: ComponentChild): Promise<void> {
  try {
    const page = await make();
    effect(() => applyTheme(page.theme.value));
    render(<PageContext.Provider value={page}>{app}</PageContext.Provider>, document.body);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    render(<Failure message={message} />, document.body);
  }
}

/** Puts a theme on the page; the style sheets look for it. */
function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function Failure({ message }: { readonly message: string }) {
  return (
    <main class="failure">
      <h1>This page cannot start</h1>
      <p>{message}</p>
      <button class="button" onClick={() => location.reload()}>
        Try again
      </button>
    </main>
  );
}
