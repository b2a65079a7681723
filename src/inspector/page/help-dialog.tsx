import { Dialog } from './dialog.js';
import { keys } from './keys.js';

/** The keys that the page knows. */
export function HelpDialog() {
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
      <p class="quiet">
        The list keeps the newest requests; Export has all that are kept, a capture line each, as
        <code> evfwd send --data</code>, <code>import</code> and <code>verify-sig --requests</code>{' '}
        read it.
      </p>
    </Dialog>
  );
}
