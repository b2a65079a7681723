import { useState } from 'preact/hooks';
import { apiPrefix } from '../api.js';
import { Dialog } from '../shared/controls/dialog.js';
import { countOf } from '../shared/text/format.js';
import { useInspector, useView } from '../view/use-view.js';

/** Asks before everything that is kept is forgotten. */
export function ClearDialog() {
  const inspector = useInspector();
  const { recordsTo } = useView((view) => view.setup);
  const requests = useView((view) => view.stats?.requests ?? 0);
  const [error, setError] = useState<string>();
  const clear = async (): Promise<void> => {
    try {
      await inspector.clear();
      inspector.show(undefined);
    } catch (failure) {
      setError((failure as Error).message);
    }
  };
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
      {error !== undefined && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      <div class="dialog-actions">
        <a class="button" href={`${apiPrefix}/requests.ndjson`} download="requests.ndjson">
          Export
        </a>
        <button class="button" onClick={() => inspector.show(undefined)}>
          Cancel
        </button>
        <button class="button danger" onClick={() => void clear()}>
          Clear
        </button>
      </div>
    </Dialog>
  );
}
