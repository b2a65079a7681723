import type { ComponentChildren } from 'preact';

interface NoMatchProps {
  /** Of the button. */
  readonly action?: string;
  readonly onAction?: () => void;
  readonly children: ComponentChildren;
}

/** Shown in place of the rows when there are none. */
export function NoMatch({ action, onAction, children }: NoMatchProps) {
  return (
    <div class="no-match">
      {children}
      {action !== undefined && (
        <button class="button" onClick={onAction}>
          {action}
        </button>
      )}
    </div>
  );
}
