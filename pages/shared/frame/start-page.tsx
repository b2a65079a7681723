import { render, type ComponentChild } from 'preact';
import type { ListPage } from '../view/list-page.js';
import { PageContext } from '../view/page.js';
import { applyTheme } from '../view/theme.js';

/** Renders a page once its server has sent its setup, or an error. */
export async function startPage(make: () => Promise<ListPage>, app: ComponentChild): Promise<void> {
  try {
    const page = await make();
    applyTheme(page.view.value.theme);
    render(<PageContext.Provider value={page}>{app}</PageContext.Provider>, document.body);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    render(<Failure message={message} />, document.body);
  }
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
