import { apiPrefix } from '../api.js';
import { Dialog } from '../shared/controls/dialog.js';
import { FieldError } from '../shared/controls/field-error.js';
import { useAction } from '../shared/controls/use-action.js';
import { countOf } from '../shared/text/format.js';
import { useInspector, useView } from '../view/use-view.js';

/** Asks before everything that is kept is forgotten. */
export function ClearDialog() {
  const inspector = useInspector();
  const { recordsTo } = useView((view) => view.setup);
  const requests = useView((view) => view.stats?.requests ?? 0);
  const { error, run } = useAction(async () => {
    await inspector.clear();
    inspector.closeDialog();
  });
  return (
    <Dialog title="Clear all requests?">
      <p>
        The receiver forgets {countOf(requests, 'request')}, for everyone who looks at it, and
        counts from zero.{' '}
        {recordsTo === null ? (
          <>Nothing is recorded to a file: export first what you want to keep.</>
        ) : (
          <>
            What is recorded in <code>{recordsTo}</code> stays.
          </>
        )}
      </p>
      <FieldError error={error} />
      <div class="dialog-actions">
        <a class="button" href={`${apiPrefix}/requests.ndjson`} download="requests.ndjson">
          Export
        </a>
        <button class="button" onClick={() => inspector.closeDialog()}>
          Cancel
        </button>
        <button class="button danger" onClick={run}>
          Clear
        </button>
      </div>
    </Dialog>
  );
}
