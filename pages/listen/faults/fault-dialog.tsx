import { useLayoutEffect, useRef } from 'preact/hooks';
import { Dialog } from '../../shared/controls/dialog.js';
import { Icon } from '../../shared/controls/icon.js';
import { type DraftField, useFaultDraft } from './draft.js';

/** Examples of faults; each is text that can be edited. */
const examples = [
  { title: '503 for 10%', fault: 'status=503,rate=10%' },
  { title: 'First 3 fail', fault: 'status=500,first=3' },
  { title: 'Delay', fault: 'delay=2s' },
  { title: 'Reset', fault: 'reset,rate=5%' },
  { title: 'Hang', fault: 'hang,first=1' },
  { title: 'Truncate', fault: 'truncate,rate=5%' },
  { title: 'Slow body', fault: 'slow=100ms' },
];

/** Shows the fault plan, and changes it while the receiver runs. */
export function FaultDialog() {
  const draft = useFaultDraft();
  const { fields, error, isChanged, isSaving } = draft;
  const submit = (event: Event): void => {
    event.preventDefault();
    void draft.apply();
  };
  return (
    <Dialog title="Faults">
      <p class="quiet">
        Rules are evaluated from top to bottom; the first one that fires is applied.
      </p>
      <form onSubmit={submit}>
        {fields.length === 0 && <p class="nothing">No faults: every response is 200.</p>}
        <ol class="fault-list">
          {fields.map((field, index) => (
            <FaultField
              key={field.key}
              field={field}
              place={index + 1}
              count={fields.length}
              error={error?.key === field.key ? error.message : undefined}
              onChange={(text) => draft.change(field.key, text)}
              onMove={(by) => draft.move(index, by)}
              onRemove={() => draft.remove(field.key)}
            />
          ))}
        </ol>
        <div class="examples" role="group" aria-label="Add a fault">
          {examples.map(({ title, fault }, index) => (
            <button
              key={fault}
              type="button"
              title={fault}
              autofocus={index === 0 && fields.length === 0}
              onClick={() => draft.add(fault)}
            >
              <Icon name="plus" />
              {title}
            </button>
          ))}
        </div>
        <p class="quiet grammar">
          <code>status=503</code> <code>delay=2s</code> <code>slow=100ms</code> <code>reset</code>{' '}
          <code>hang</code> <code>truncate</code>, each with <code>rate=10%</code> or{' '}
          <code>first=3</code>, <code>type=track</code>, <code>path=/hook</code>
        </p>
        <div class="dialog-actions">
          <label class="seed">
            Seed
            <input
              class="mono"
              name="seed"
              inputMode="numeric"
              value={draft.seed}
              onInput={(event) => draft.setSeed(event.currentTarget.value)}
            />
          </label>
          <span class="quiet" role="status">
            {isChanged ? 'Not applied yet' : 'Active'}
          </span>
          <button class="button primary" disabled={!isChanged || isSaving}>
            Apply
          </button>
        </div>
        {error && error.key === undefined && (
          <p class="field-error" role="alert">
            {error.message}
          </p>
        )}
      </form>
    </Dialog>
  );
}

interface FaultFieldProps {
  readonly field: DraftField;
  /** From the top, which is 1. */
  readonly place: number;
  readonly count: number;
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}

/** A fault of the plan, with the error that the receiver reported for it. */
function FaultField({ field, place, count, error, ...does }: FaultFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const name = `Fault ${place}`;
  const errorId = `fault-error-${field.key}`;
  // Before the next key: what is typed after a click on an example replaces it.
  useLayoutEffect(() => {
    if (field.isNew || error !== undefined) input.current?.focus();
  }, [error]);
  return (
    <li>
      <div class="fault-field">
        <input
          ref={input}
          class="mono"
          aria-label={name}
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : errorId}
          spellcheck={false}
          autocomplete="off"
          value={field.text}
          onInput={(event) => does.onChange(event.currentTarget.value)}
        />
        <button
          type="button"
          class="icon-button"
          aria-label={`Move ${name} up`}
          disabled={place === 1}
          onClick={() => does.onMove(-1)}
        >
          <Icon name="up" />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label={`Move ${name} down`}
          disabled={place === count}
          onClick={() => does.onMove(1)}
        >
          <Icon name="down" />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label={`Remove ${name}`}
          onClick={does.onRemove}
        >
          <Icon name="close" />
        </button>
      </div>
      {error !== undefined && (
        <p class="field-error" id={errorId} role="alert">
          {error}
        </p>
      )}
    </li>
  );
}
