import { FieldError } from './field-error.js';

interface TextFieldProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly error?: string | undefined;
  readonly type?: 'url' | 'password';
  readonly class?: string;
  readonly placeholder?: string;
  readonly autofocus?: boolean;
  /** Whether the browser suggests what was entered before. */
  readonly autocomplete?: 'on';
  readonly onText: (text: string) => void;
}

/** A labeled field of a form, with what is wrong with its text. */
export function TextField({ label, error, onText, ...input }: TextFieldProps) {
  const errorId = `${input.name}-error`;
  return (
    <>
      <label class="field">
        <span>{label}</span>
        <input
          autocomplete="off"
          spellcheck={false}
          required
          // Preact has other types for each type of input, which is known here only when it runs.
          {...(input as object)}
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : errorId}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      </label>
      <FieldError error={error} id={errorId} />
    </>
  );
}
