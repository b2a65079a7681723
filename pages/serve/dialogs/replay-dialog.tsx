import { useEffect, useState } from 'preact/hooks';
import type { ReplayCount } from '../../../src/api/serve.js';
import { Dialog, useAction } from '../../shared/controls/dialog.js';
import {
  Choice,
  FieldError,
  SelectField,
  TextArea,
  TextField,
} from '../../shared/controls/fields.js';
import { countOf } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { takesOnlyRequests } from '../overview/sources-of.js';
import {
  bodyOf,
  draftFor,
  eventTypes,
  memberOf,
  selectionKey,
  type Draft,
} from '../replays/draft.js';
import { useOperations } from '../view/operations.js';

const states = [
  ['any', 'Any'],
  ['delivered', 'Delivered'],
  ['dead', 'Dead letters'],
] as const satisfies readonly (readonly [Draft['state'], string])[];

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
  const takesRequests = takesOnlyRequests(overview, draft.destination);
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
        <SelectField
          label="Destination"
          name="destination"
          value={draft.destination}
          choices={destinations.map(({ name, enabled }) => [
            name,
            enabled ? name : `${name} (off)`,
          ])}
          error={errorOf('destination')}
          onChoose={(name) =>
            change({
              destination: name,
              // It has no fields for these, and the service refuses them.
              ...(takesOnlyRequests(overview, name) && { types: [], events: '', users: '' }),
            })
          }
        />
        <SelectField
          label="Outcome there"
          name="state"
          value={draft.state}
          choices={states}
          onChoose={(state) => change({ state })}
        />
        <Text
          label="Received from"
          name="since"
          type="datetime-local"
          {...{ draft, change, errorOf }}
        />
        <Text
          label="Received before"
          name="until"
          type="datetime-local"
          {...{ draft, change, errorOf }}
        />
        {!takesRequests && (
          <>
            <fieldset class="whole">
              <legend>Types</legend>
              <div class="types">
                {eventTypes.map((type) => (
                  <Choice
                    key={type}
                    type="checkbox"
                    name="types"
                    checked={draft.types.includes(type)}
                    onChange={({ currentTarget: { checked } }) =>
                      change({
                        types: eventTypes.filter((one) =>
                          one === type ? checked : draft.types.includes(one),
                        ),
                      })
                    }
                  >
                    {type}
                  </Choice>
                ))}
              </div>
              <FieldError error={errorOf('types')} />
            </fieldset>
            <Lines
              label="Event names"
              name="events"
              placeholder="Signed *"
              {...{ draft, change, errorOf }}
            />
            <Lines label="Users" name="users" placeholder="u1" {...{ draft, change, errorOf }} />
          </>
        )}
        <Lines
          label="Conditions"
          name="where"
          placeholder={takesRequests ? 'header.x-github-event=push' : 'properties.plan=pro'}
          {...{ draft, change, errorOf }}
        />
        <Text
          label="Rate"
          name="rate"
          placeholder="100/s; empty: no limit"
          {...{ draft, change, errorOf }}
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

interface FieldProps<Name extends keyof Draft> {
  readonly label: string;
  readonly name: Name;
  readonly placeholder?: string;
  readonly draft: Draft;
  readonly change: (members: Partial<Draft>) => void;
  readonly errorOf: (member: string) => string | undefined;
}

function Text({
  draft,
  change,
  errorOf,
  ...field
}: FieldProps<'since' | 'until' | 'rate'> & { readonly type?: 'datetime-local' }) {
  return (
    <div>
      <TextField
        {...field}
        required={false}
        value={draft[field.name]}
        error={errorOf(field.name)}
        onText={(text) => change({ [field.name]: text })}
      />
    </div>
  );
}

function Lines({ draft, change, errorOf, ...field }: FieldProps<'events' | 'users' | 'where'>) {
  return (
    <TextArea
      {...field}
      rows={2}
      note="one per line"
      value={draft[field.name]}
      error={errorOf(field.name)}
      onText={(text) => change({ [field.name]: text })}
    />
  );
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
