import { useEffect, useState } from 'preact/hooks';
import type { ReplayCount } from '../../../src/api/serve.js';
import { Dialog, useAction } from '../../shared/controls/dialog.js';
import { FieldError } from '../../shared/controls/fields.js';
import { countOf } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { takesOnlyRequests } from '../overview/sources-of.js';
import { bodyOf, draftFor, memberOf, selectionKey, type Draft } from '../replays/draft.js';
import { ReplayFields } from '../replays/fields.js';
import { useOperations } from '../view/operations.js';

/** Chooses kept events to send again, says how many they are, and then sends them. */
export function ReplayDialog({ destination }: { readonly destination?: string }) {
  const operations = useOperations();
  const { service } = operations;
  const { value: overview } = operations.overview;
  const destinations = (overview?.destinations ?? []).filter((one) => one.configured);
  const [draft, setDraft] = useState(() =>
    draftFor(destination ?? operations.filter.value.destination ?? destinations[0]?.name ?? ''),
  );
  const change = (members: Partial<Draft>): void => setDraft({ ...draft, ...members });
  const counting = useAction(async () => ({
    of: draft,
    count: await service.countReplay(bodyOf(draft)),
  }));
  const starting = useAction(async () => {
    await service.createReplay(bodyOf(draft));
    await operations.replays.load();
    operations.show({ name: 'replays' });
  });
  const ofRequests = (name: string): boolean => takesOnlyRequests(overview, name);
  const { result } = counting;
  const counted =
    result && selectionKey(result.of) === selectionKey(draft) ? result.count : undefined;
  const error = starting.error ?? counting.error;
  const errorOf = useErrorOf(error);
  const isBusy = counting.isRunning || starting.isRunning;
  const canStart = counted !== undefined && counted.events > 0;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!isBusy) counting.run();
  };
  return (
    <Dialog title="Replay kept events">
      <p>
        Sends kept events again, with the same messageIds, behind those that wait already. A field
        that is left empty selects all.
      </p>
      <form class="replay" onSubmit={submit}>
        <ReplayFields
          {...{ draft, change, errorOf, destinations }}
          takesOnlyRequests={ofRequests}
        />
        <div class="whole" role="status">
          {counting.isRunning && <p>Counting …</p>}
          {counted && <Counted count={counted} destination={draft.destination} />}
        </div>
        <div class="whole">
          {error !== undefined && memberOf(error) === undefined && <FieldError error={error} />}
        </div>
        <div class="dialog-actions whole">
          <button
            type="button"
            class="link aside"
            onClick={() => operations.show({ name: 'replays' })}
          >
            All replays
          </button>
          <button class={canStart ? 'button' : 'button primary'} disabled={isBusy}>
            Count events
          </button>
          <button
            type="button"
            class={canStart ? 'button primary' : 'button'}
            disabled={isBusy || !canStart}
            onClick={starting.run}
          >
            Start replay
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** What is wrong with a member; the first field that has it gets the focus. */
function useErrorOf(error: string | undefined): (member: string) => string | undefined {
  const wrong = error === undefined ? undefined : memberOf(error);
  useEffect(() => {
    if (wrong !== undefined) document.querySelector<HTMLElement>(`dialog [name=${wrong}]`)?.focus();
  }, [error]);
  return (member) => (member === wrong ? error : undefined);
}

interface CountedProps {
  readonly count: ReplayCount;
  readonly destination: string;
}

/** How many events it would send, and what is sent there already. */
function Counted({ count, destination }: CountedProps) {
  const { events, isComplete, waiting, running } = count;
  if (events === 0 && isComplete) {
    return (
      <p class="callout bad">
        <strong>Nothing to send.</strong> No kept event is of a source of{' '}
        <Received text={destination} /> and meets all of this.
      </p>
    );
  }
  return (
    <div class="callout">
      <p>
        <strong>
          {isComplete ? '' : 'At least '}
          {countOf(events, 'event')} would be sent to <Received text={destination} />.
        </strong>
        {!isComplete && ' There may be more: counting took too long.'}
      </p>
      {waiting > 0 && <p>{countOf(waiting, 'event')} wait for it already.</p>}
      {running.length > 0 && (
        <p>
          {countOf(running.length, 'other replay')} to it {running.length === 1 ? 'is' : 'are'}{' '}
          still running: what both select is sent twice.
        </p>
      )}
    </div>
  );
}
