import type { ComponentChildren } from 'preact';
import { Dialog } from '../controls/dialog.js';
import type { Key } from './list-keys.js';

interface HelpDialogProps {
  readonly keys: readonly Omit<Key<never>, 'act'>[];
  readonly children?: ComponentChildren;
}

/** The keyboard shortcuts of a page. */
export function HelpDialog({ keys, children }: HelpDialogProps) {
  return (
    <Dialog title="Keys">
      <dl class="keys">
        {keys.map(({ shown, does }) => (
          <div key={does}>
            <dt>
              {shown.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      {children}
    </Dialog>
  );
}
