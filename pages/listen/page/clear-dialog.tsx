import { apiPrefix } from '../../../src/api/listen.js';
import { Dialog, useAction } from '../../shared/controls/dialog.js';
import { FieldError } from '../../shared/controls/fields.js';
import { countOf } from '../../shared/text/format.js';
import { useInspector } from '../view/inspector.js';

/** Asks for confirmation before all kept requests are deleted. */
export function ClearDialog() {
  const inspector = useInspector();
  const { recordsTo } = inspector.setup.value;
  const requests = inspector.stats.value?.requests ?? 0;
  const { error, run } = useAction(async () => {
    await inspector.clear();
    inspector.closeDialog();
  });
  return (
    <Dialog title="Clear all requests?">
      <p>
        This deletes {countOf(requests, 'request')} from the receiver, for everyone who uses it, and
        resets its counters.{' '}
        {recordsTo === null ? (
          <>Requests are not recorded to a file: export first what you want to keep.</>
        ) : (
          <>
            The recording in <code>{recordsTo}</code> is kept.
          </>
        )}
      </p>
      <FieldError error={error} />
      <div class="dialog-actions">
        <a class="button" href={`${apiPrefix}/requests.ndjson`} download="requests.ndjson">
          Export
        </a>
        <button class="button" autofocus onClick={() => inspector.closeDialog()}>
          Cancel
        </button>
        <button class="button danger" onClick={run}>
          Clear
        </button>
      </div>
    </Dialog>
  );
}
