import { Dialog } from '../../shared/controls/dialog.js';
import { useLoaded } from '../../shared/detail/use-loaded.js';
import { Received } from '../../shared/text/received.js';
import { Attempts, Responses } from '../detail/attempts.js';
import { noFilter } from '../filter/filter.js';
import { useOperations } from '../view/operations.js';

/** The last attempt at a destination that did not deliver, and what its response said. */
export function LastFailureDialog({ destination }: { readonly destination: string }) {
  const operations = useOperations();
  const failure = useLoaded(destination, (name, signal) =>
    operations.service.lastFailure(name, signal),
  );
  return (
    <Dialog title={`Last failure of ${destination}`}>
      {failure.state === 'loading' && <p role="status">Loading …</p>}
      {failure.state === 'failed' && (
        <p class="callout bad" role="alert">
          <Received text={(failure.error as Error).message} />
        </p>
      )}
      {failure.state === 'loaded' && (
        <>
          <Attempts title="Attempt" attempts={[failure.value]} />
          <Responses attempts={[failure.value]} />
          {failure.value.response === undefined && failure.value.status !== null && (
            <p class="quiet">What the response said was not kept.</p>
          )}
        </>
      )}
      <div class="dialog-actions">
        <button
          class="button"
          onClick={() => {
            operations.closeDialog();
            operations.showTab('events', { ...noFilter, destination });
          }}
        >
          Show its events
        </button>
      </div>
    </Dialog>
  );
}
