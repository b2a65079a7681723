import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../../shared/controls/icon.js';
import type { DraftField } from './use-fault-draft.js';

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
export function FaultField({ field, place, count, error, ...does }: FaultFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const name = `Fault ${place}`;
  const errorId = `fault-error-${field.key}`;
  useEffect(() => {
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
