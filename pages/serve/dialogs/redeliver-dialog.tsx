import { useState } from 'preact/hooks';
import type { EventAtDestination } from '../../../src/api/serve.js';
import { Dialog, useAction } from '../../shared/controls/dialog.js';
import { FieldError } from '../../shared/controls/fields.js';
import { countOf, countText } from '../../shared/text/format.js';
import { searchText } from '../filter/filter.js';
import { allText } from '../view/counts.js';
import { type Operations, useOperations } from '../view/operations.js';

/** Asks for confirmation before dead letters are redelivered, and shows the progress. */
export function RedeliverDialog({
  deadLetters,
}: {
  readonly deadLetters: readonly EventAtDestination[] | 'all-listed';
}) {
  const operations = useOperations();
  const [done, setDone] = useState(0);
  const { isRunning, result, error, run } = useAction(async () => {
    const count = await redeliver(operations, deadLetters, setDone);
    operations.select([]);
    operations.lists.refresh();
    return count;
  });
  // The list is emptied while the dialog is open.
  const [what] = useState(() =>
    deadLetters === 'all-listed' ? allText(operations) : countOf(deadLetters.length, 'event'),
  );
  return (
    <Dialog title={`Redeliver ${what}`}>
      <p>
        They are sent again with the same messageId and body, and retried like new events. Each dead
        letter is removed; an event that fails again becomes a new one.
      </p>
      <div role="status">
        {isRunning && <p>{countText(done)} sent so far …</p>}
        {result !== undefined && (
          <p class="callout">
            <strong>{countOf(result, 'event')} in flight.</strong> Follow them in the Events tab.
          </p>
        )}
      </div>
      <FieldError error={error} />
      <div class="dialog-actions">
        <button class="button" onClick={() => operations.closeDialog()}>
          {result === undefined ? 'Cancel' : 'Done'}
        </button>
        {result === undefined && (
          <button class="button primary" disabled={isRunning} onClick={run}>
            Redeliver
          </button>
        )}
      </div>
    </Dialog>
  );
}

/** The most that the service accepts in one call. */
const atOnce = 500;

/**
 * Redelivers these dead letters, or all that match the filters, loaded or not. Returns how many were
 * redelivered.
 */
async function redeliver(
  operations: Operations,
  deadLetters: readonly EventAtDestination[] | 'all-listed',
  onProgress: (count: number) => void,
): Promise<number> {
  const { service, lists } = operations;
  const { value: filter } = operations.filter;
  const isWhole =
    searchText(filter) === '' && filter.source === undefined && filter.type === undefined;
  if (deadLetters === 'all-listed' && isWhole && filter.destination !== undefined) {
    return (await service.redeliver({ destination: filter.destination })).redelivered;
  }
  const chosen = deadLetters === 'all-listed' ? await lists.all('dead-letters') : deadLetters;
  const ids = chosen.map(({ id }) => id);
  let count = 0;
  for (let start = 0; start < ids.length; start += atOnce) {
    count += (await service.redeliver({ ids: ids.slice(start, start + atOnce) })).redelivered;
    onProgress(count);
  }
  return count;
}
