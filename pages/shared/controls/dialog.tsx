import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { focusList } from '../keys/focus-list.js';
import { usePage } from '../view/page.js';
import { focusFirst, keepFocusIn } from './dialog-focus.js';
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
