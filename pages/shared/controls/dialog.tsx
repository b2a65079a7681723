import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { focusList } from '../list/rows.js';
import { usePage } from '../view/page.js';
import { Icon } from './icon.js';

interface DialogProps {
  readonly title: string;
  /** `wide`: for texts side by side. */
  readonly size?: 'wide';
  readonly children: ComponentChildren;
}

/** A window over the page that keeps the focus until it is closed; Esc closes it. */
export function Dialog({ title, size, children }: DialogProps) {
  const page = usePage();
  const dialog = useRef<HTMLDialogElement>(null);
  const close = (): void => page.closeDialog();
  useLayoutEffect(() => {
    const element = dialog.current!;
    element.showModal();
    focusFirst(element);
    return () => {
      // Closing gives the focus back to where it was, unless that is gone.
      element.close();
      if (document.activeElement === document.body) focusList();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={size}
      tabIndex={-1}
      aria-labelledby="dialog-title"
      onCancel={close}
      onKeyDown={(event) => keepFocusIn(event.currentTarget, event)}
      onMouseDown={(event) => event.target === dialog.current && close()}
    >
      <div class="dialog-body">
        <header>
          <h2 id="dialog-title">{title}</h2>
          <button class="icon-button" aria-label="Close" title="Close (Esc)" onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

const fields =
  'input:not([type="checkbox"], [type="radio"], :disabled), textarea:not(:disabled), select:not(:disabled)';

const tabStops = `${fields}, input:not(:disabled), button:not(:disabled), a[href], summary, [tabindex="0"]`;

/**
 * Puts the focus where a dialog begins: on what has `autofocus`, else into its first field. A dialog
 * without a field has the focus itself, so that Enter does not close it.
 */
function focusFirst(dialog: HTMLDialogElement): void {
  const field = dialog.querySelector<HTMLElement>('[autofocus]') ?? seen(dialog, fields)[0];
  (field ?? dialog).focus();
}

/** Makes Tab go round in a dialog; by itself the browser would leave it for its own controls. */
function keepFocusIn(dialog: HTMLDialogElement, event: KeyboardEvent): void {
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

interface Action<Result> {
  readonly isRunning: boolean;
  readonly result: Result | undefined;
  readonly error: string | undefined;
  readonly run: () => void;
}

/** The state of an asynchronous action, for a dialog that shows its result or error. */
export function useAction<Result>(act: () => Promise<Result>): Action<Result> {
  const [state, setState] = useState<Omit<Action<Result>, 'run'>>({
    isRunning: false,
    result: undefined,
    error: undefined,
  });
  const run = (): void => {
    setState({ isRunning: true, result: undefined, error: undefined });
    act().then(
      (result) => setState({ isRunning: false, result, error: undefined }),
      (error: unknown) =>
        setState({ isRunning: false, result: undefined, error: (error as Error).message }),
    );
  };
  return { ...state, run };
}
