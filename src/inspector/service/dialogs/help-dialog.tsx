import { Dialog } from '../../shared/controls/dialog.js';
import { KeyList } from '../../shared/keys/key-list.js';
import { keys } from '../page/keys.js';

/** The keys that the page knows. */
export function HelpDialog() {
  return (
    <Dialog title="Keys">
      <KeyList keys={keys} />
    </Dialog>
  );
}
