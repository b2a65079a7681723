import { useEffect } from 'preact/hooks';
import type { TestResult } from '../../../src/api/serve.js';
import { Dialog, useAction } from '../../shared/controls/dialog.js';
import { FieldError } from '../../shared/controls/fields.js';
import { Icon } from '../../shared/controls/icon.js';
import { Received } from '../../shared/text/received.js';
import { Attempts, Responses } from '../detail/attempts.js';
import { useOperations } from '../view/operations.js';

/** Sends a test event to a destination, and shows the response. */
export function TestDialog({ destination }: { readonly destination: string }) {
  const operations = useOperations();
  const { isRunning, result, error, run } = useAction(() =>
    operations.service.testDestination(destination),
  );
  useEffect(run, []);
  return (
    <Dialog title={`Test event to ${destination}`}>
      <div role="status">
        {isRunning && <p>Sent; waiting for the response …</p>}
        {result && <Result result={result} />}
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
