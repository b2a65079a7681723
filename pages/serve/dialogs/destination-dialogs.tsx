import { useEffect } from 'preact/hooks';
import type { TestResult } from '../../../src/api/serve.js';
import { Dialog, useAction } from '../../shared/controls/dialog.js';
import { FieldError } from '../../shared/controls/fields.js';
import { Icon } from '../../shared/controls/icon.js';
import { useLoaded } from '../../shared/detail/use-loaded.js';
import { Received } from '../../shared/text/received.js';
import { Attempts, Responses } from '../detail/attempts.js';
import { noFilter } from '../filter/filter.js';
import { takesOnlyRequests } from '../overview/sources-of.js';
import { useOperations } from '../view/operations.js';

/** Sends a test event to a destination, and shows the response. */
export function TestDialog({ destination }: { readonly destination: string }) {
  const operations = useOperations();
  const { isRunning, result, error, run } = useAction(() =>
    operations.service.testDestination(destination),
  );
  const what = takesOnlyRequests(operations.overview.value, destination) ? 'request' : 'event';
  useEffect(run, []);
  return (
    <Dialog title={`Test ${what} to ${destination}`}>
      <div role="status">
        {isRunning && <p>Sent; waiting for the response …</p>}
        {result && <Result result={result} />}
        {result?.request?.signed === false && (
          <p class="quiet">
            It has no signature, which only the sender could make: an app that verifies refuses it.
          </p>
        )}
      </div>
      <FieldError error={error} />
      {result && result.attempts.length > 0 && (
        <>
          <Attempts title="Attempts" attempts={result.attempts} />
          <Responses attempts={result.attempts} />
        </>
      )}
      <div class="dialog-actions">
        <button class="button" disabled={isRunning} onClick={run}>
          <Icon name="send" />
          Send another
        </button>
        <button class="button primary" onClick={() => operations.closeDialog()}>
          Done
        </button>
      </div>
    </Dialog>
  );
}

function Result({ result }: { readonly result: TestResult }) {
  if (result.delivered) {
    return (
      <p class="callout">
        <strong>Delivered.</strong> The destination accepted <code>{result.messageId}</code>.
      </p>
    );
  }
  return (
    <p class="callout bad">
      <strong>Not delivered.</strong> <Received text={result.message ?? result.code ?? ''} />
    </p>
  );
}

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
