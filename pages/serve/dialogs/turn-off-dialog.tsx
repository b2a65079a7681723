import { Dialog, useAction } from '../../shared/controls/dialog.js';
import { FieldError } from '../../shared/controls/fields.js';
import { useOperations } from '../view/operations.js';

/** Asks for confirmation before a destination is turned off: new events are not forwarded then. */
export function TurnOffDialog({ destination }: { readonly destination: string }) {
  const operations = useOperations();
  const { isRunning, error, run } = useAction(async () => {
    await operations.switchDestination(destination, false);
    operations.closeDialog();
  });
  return (
    <Dialog title={`Turn ${destination} off?`}>
      <p>
        Events that arrive while it is off are <b>not forwarded</b> to it, not later either: they
        are listed as skipped. Events already waiting for it are kept until it is on again. It stays
        off after a restart, until it is turned on here or the configuration file changes.
      </p>
      <FieldError error={error} />
      <div class="dialog-actions">
        <button class="button" onClick={() => operations.closeDialog()}>
          Cancel
        </button>
        <button class="button danger" disabled={isRunning} onClick={run}>
          Turn off
        </button>
      </div>
    </Dialog>
  );
}
