import type { DestinationState } from '../../../src/api/serve.js';
import {
  Choice,
  FieldError,
  SelectField,
  TextArea,
  TextField,
} from '../../shared/controls/fields.js';
import { eventTypes, type Draft } from './draft.js';

/** What fields of a replay have in common. */
interface FormProps {
  readonly draft: Draft;
  readonly change: (members: Partial<Draft>) => void;
  /** What is wrong with a member. */
  readonly errorOf: (member: string) => string | undefined;
}

interface ReplayFieldsProps extends FormProps {
  readonly destinations: readonly DestinationState[];
  /** Whether a destination gets requests alone, which have no fields for types, names and users. */
  readonly takesOnlyRequests: (destination: string) => boolean;
}

const states = [
  ['any', 'Any'],
  ['delivered', 'Delivered'],
  ['dead', 'Dead letters'],
] as const satisfies readonly (readonly [Draft['state'], string])[];

/** The form of a replay. */
export function ReplayFields({ destinations, takesOnlyRequests, ...form }: ReplayFieldsProps) {
  const { draft, change, errorOf } = form;
  const isOfRequests = takesOnlyRequests(draft.destination);
  return (
    <>
      <SelectField
        label="Destination"
        name="destination"
        value={draft.destination}
        choices={destinations.map(({ name, enabled }) => [name, enabled ? name : `${name} (off)`])}
        error={errorOf('destination')}
        onChoose={(name) =>
          change({
            destination: name,
            // It has no fields for these, and the service refuses them.
            ...(takesOnlyRequests(name) && { types: [], events: '', users: '' }),
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
      <Text label="Received from" name="since" type="datetime-local" {...form} />
      <Text label="Received before" name="until" type="datetime-local" {...form} />
      {!isOfRequests && <EventFields {...form} />}
      <Lines
        label="Conditions"
        name="where"
        placeholder={isOfRequests ? 'header.x-github-event=push' : 'properties.plan=pro'}
        {...form}
      />
      <Text label="Rate" name="rate" placeholder="100/s; empty: no limit" {...form} />
    </>
  );
}

/** What only events have. */
function EventFields(form: FormProps) {
  const { draft, change, errorOf } = form;
  return (
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
      <Lines label="Event names" name="events" placeholder="Signed *" {...form} />
      <Lines label="Users" name="users" placeholder="u1" {...form} />
    </>
  );
}

interface FieldProps<Name extends keyof Draft> extends FormProps {
  readonly label: string;
  readonly name: Name;
  readonly placeholder?: string;
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
