import { useEffect } from 'preact/hooks';
import type { ReplayRow } from '../../../src/api/serve.js';
import { Dialog, useAction } from '../../shared/controls/dialog.js';
import { FieldError } from '../../shared/controls/fields.js';
import type { IconName } from '../../shared/controls/icon.js';
import { StateWord } from '../../shared/controls/status.js';
import { timestampText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { percentOf, progressText, selectionText } from '../replays/progress.js';
import { useNow, useOperations } from '../view/operations.js';

/** The replays, the newest first, with what they have sent so far. */
export function ReplaysDialog() {
  const operations = useOperations();
  const { replays } = operations;
  const now = useNow();
  useEffect(() => void replays.load(), []);
  const { value: rows } = replays.rows;
  return (
    <Dialog title="Replays of kept events">
      <FieldError error={replays.error.value} />
      {rows?.length === 0 && (
        <p class="nothing">
          None so far. A replay sends events again that the service keeps: after a mistake of the
          receiver, or to a destination that was added later.
        </p>
      )}
      {rows && rows.length > 0 && (
        <ul class="replays">
          {rows.map((row) => (
            <Replay key={row.id} row={row} now={now} />
          ))}
        </ul>
      )}
      <div class="dialog-actions">
        <button class="button primary" onClick={() => operations.show({ name: 'replay' })}>
          New replay
        </button>
      </div>
    </Dialog>
  );
}

const icons: Readonly<Record<ReplayRow['state'], IconName>> = {
  running: 'replay',
  finished: 'check',
  stopped: 'stop',
  failed: 'cross',
};

function Replay({ row, now }: { readonly row: ReplayRow; readonly now: number }) {
  const operations = useOperations();
  const { id, destination, state, message, createdAt } = row;
  const isRunning = state === 'running';
  return (
    <li>
      <div class="replay-head">
        <b>
          <Received text={destination} />
        </b>
        <StateWord state={state} icon={icons[state]} />
        {isRunning && (
          <button
            class="button"
            aria-label={`Stop the replay to ${destination}`}
            onClick={() => operations.show({ name: 'stop-replay', id })}
          >
            Stop
          </button>
        )}
      </div>
      {isRunning && <Bar row={row} />}
      <p>{progressText(row)}</p>
      {isRunning && isOff(operations.overview.value?.destinations, destination) && (
        <p class="warn-text">It waits until the destination is on again.</p>
      )}
      {message !== null && (
        <p class="field-error">
          <Received text={message} />
        </p>
      )}
      <p class="quiet">
        <time dateTime={createdAt} title={createdAt}>
          {timestampText(createdAt, now).replace(/\.\d+$/, '')}
        </time>{' '}
        · <Received text={selectionText(row, now)} /> ·{' '}
        <code title="As in X-Evfwd-Replay">{id}</code>
      </p>
    </li>
  );
}

function isOff(
  destinations: readonly { readonly name: string; readonly enabled: boolean }[] | undefined,
  destination: string,
): boolean {
  return destinations?.find(({ name }) => name === destination)?.enabled === false;
}

function Bar({ row }: { readonly row: ReplayRow }) {
  const percent = percentOf(row);
  return (
    <progress
      aria-label={`Replay to ${row.destination}`}
      max={100}
      {...(percent !== undefined && { value: percent })}
    />
  );
}

/** Asks for confirmation before a replay is stopped: it cannot go on from there. */
export function StopReplayDialog({ id }: { readonly id: string }) {
  const operations = useOperations();
  const row = operations.replays.rows.value?.find((one) => one.id === id);
  const { isRunning, error, run } = useAction(async () => {
    await operations.service.stopReplay(id);
    await operations.replays.load();
    operations.show({ name: 'replays' });
  });
  return (
    <Dialog title={`Stop the replay to ${row?.destination ?? id}?`}>
      <p>
        Nothing more is queued; what is queued already is <b>still sent</b>. It cannot be continued:
        another one with the same choices begins at the first event.
      </p>
      {row && <p>{progressText(row)}</p>}
      <FieldError error={error} />
      <div class="dialog-actions">
        <button class="button" onClick={() => operations.show({ name: 'replays' })}>
          Cancel
        </button>
        <button class="button danger" disabled={isRunning} onClick={run}>
          Stop replay
        </button>
      </div>
    </Dialog>
  );
}
