const fields =
  'input:not([type="checkbox"], [type="radio"], :disabled), textarea:not(:disabled), select:not(:disabled)';

const tabStops = `${fields}, input:not(:disabled), button:not(:disabled), a[href], summary, [tabindex="0"]`;

/**
 * Puts the focus where a dialog begins: on what has `autofocus`, else into its first field. A dialog
 * without a field has the focus itself, so that Enter does not close it.
 */
export function focusFirst(dialog: HTMLDialogElement): void {
  const field = dialog.querySelector<HTMLElement>('[autofocus]') ?? seen(dialog, fields)[0];
  (field ?? dialog).focus();
}

/** Makes Tab go round in a dialog; by itself the browser would leave it for its own controls. */
export function keepFocusIn(dialog: HTMLDialogElement, event: KeyboardEvent): void {
  if (event.key !== 'Tab') return;
  const stops = seen(dialog, tabStops);
  const [from, to] = event.shiftKey ? [stops[0], stops.at(-1)] : [stops.at(-1), stops[0]];
  const { activeElement } = document;
  if (activeElement !== from && activeElement !== dialog) return;
  event.preventDefault();
  to?.focus();
}

function seen(dialog: HTMLDialogElement, selector: string): HTMLElement[] {
  return [...dialog.querySelectorAll<HTMLElement>(selector)].filter((element) =>
    element.checkVisibility(),
  );
}
