import { HelpDialog } from '../../shared/keys/help-dialog.js';
import { keys } from './keys.js';

/** The keyboard shortcuts of the page, and where to find what it does not show. */
export function Help() {
  return (
    <HelpDialog keys={keys}>
      <p class="quiet">
        The list shows the newest requests. Export downloads all kept requests, one capture per
        line, in the format that <code>evfwd send --data</code>, <code>import</code> and{' '}
        <code>verify-sig --requests</code> read.
      </p>
    </HelpDialog>
  );
}
