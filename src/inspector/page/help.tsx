import { HelpDialog } from '../shared/keys/help-dialog.js';
import { keys } from './keys.js';

/** The keyboard shortcuts of the page, and where to find what it does not show. */
export function Help() {
  return (
    <HelpDialog keys={keys}>
      <p class="quiet">
        The list keeps the newest requests; Export has all that are kept, a capture line each, as
        <code> evfwd send --data</code>, <code>import</code> and <code>verify-sig --requests</code>{' '}
        read it.
      </p>
    </HelpDialog>
  );
}
