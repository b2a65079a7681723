import { Dialog } from '../shared/controls/dialog.js';
import { KeyList } from '../shared/keys/key-list.js';
import { keys } from './keys.js';

/** The keys that the page knows. */
export function HelpDialog() {
  return (
    <Dialog title="Keys">
      <KeyList keys={keys} />
      <p class="quiet">
        The list keeps the newest requests; Export has all that are kept, a capture line each, as
        <code> evfwd send --data</code>, <code>import</code> and <code>verify-sig --requests</code>{' '}
        read it.
      </p>
    </Dialog>
  );
}
