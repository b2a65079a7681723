import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { usePage } from '../view/page.js';
import { Icon } from './icon.js';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A window over the page that keeps the focus until it is closed; Esc closes it. */
export function Dialog({ title, children }: DialogProps) {
  const page = usePage();
  const dialog = useRef<HTMLDialogElement>(null);
  const close = (): void => page.closeDialog();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Closing gives the focus back to where it was.
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onCancel={close}
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
