import { useState } from 'preact/hooks';
import { Dialog, useAction } from '../../shared/controls/dialog.js';
import { FieldError } from '../../shared/controls/fields.js';
import { countOf, countText } from '../../shared/text/format.js';
import { isNarrowed } from '../filter/filter.js';
import type { Outcome } from '../outcomes/outcome.js';
import { useOperations } from '../view/operations.js';
import { redeliver } from './redeliver.js';

/** Asks for confirmation before dead letters are redelivered, and shows the progress. */
export function RedeliverDialog({
  deadLetters,
}: {
  readonly deadLetters: readonly Outcome[] | 'all-listed';
}) {
  const operations = useOperations();
  const { rows, next, total } = operations.lists['dead-letters'].value;
  const { value: filter } = operations.filter;
  const [done, setDone] = useState(0);
  const { isRunning, result, error, run } = useAction(async () => {
    const count = await redeliver(operations, deadLetters, setDone);
    operations.select([]);
    operations.lists.refresh();
    return count;
  });
  const what =
    deadLetters !== 'all-listed'
      ? countOf(deadLetters.length, 'event')
      : next === null
        ? countOf(rows.length, 'event')
        : isNarrowed(filter)
          ? 'all events that match'
          : `all ${countText(total)} events`;
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
