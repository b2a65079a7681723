import type { ComponentChildren, ComponentProps } from 'preact';

interface TextFieldProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly error?: string | undefined;
  readonly type?: 'url' | 'password' | 'datetime-local';
  readonly class?: string;
  readonly placeholder?: string;
  readonly autofocus?: boolean;
  /** Default: a text is needed. */
  readonly required?: boolean;
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

interface TextAreaProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  /** Lines in sight. */
  readonly rows: number;
  /** What the text has to look like. */
  readonly note?: string | undefined;
  /** What is wrong with the text as it is now. */
  readonly problem?: string | undefined;
  /** What was wrong with it when it was used. */
  readonly error?: string | undefined;
  readonly placeholder?: string;
  /** What can be done with the text. */
  readonly action?: ComponentChildren;
  readonly onText: (text: string) => void;
}

/** A labeled field for several lines of text. */
export function TextArea(props: TextAreaProps) {
  const { label, note, problem, error, action, onText, ...area } = props;
  const noteId = `${area.name}-note`;
  const errorId = `${area.name}-error`;
  return (
    <div class="field">
      <div class="field-head">
        <label for={area.name}>{label}</label>
        <span class={problem === undefined ? 'quiet' : 'problem'} id={noteId}>
          {problem ?? note}
        </span>
        {action}
      </div>
      <textarea
        {...area}
        id={area.name}
        class="mono"
        autocomplete="off"
        spellcheck={false}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? noteId : `${noteId} ${errorId}`}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      <FieldError error={error} id={errorId} />
    </div>
  );
}

interface SelectFieldProps<T extends string> {
  readonly label: string;
  readonly name: string;
  readonly value: T;
  readonly choices: readonly (readonly [value: T, label: string])[];
  readonly error?: string | undefined;
  readonly onChoose: (value: T) => void;
}

/** A labeled field for one of many choices. */
export function SelectField<T extends string>(props: SelectFieldProps<T>) {
  const { label, choices, error, onChoose, ...select } = props;
  const errorId = `${select.name}-error`;
  return (
    <div>
      <label class="field">
        <span>{label}</span>
        <select
          {...select}
          aria-describedby={error === undefined ? undefined : errorId}
          onChange={(event) => onChoose(event.currentTarget.value as T)}
        >
          {choices.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <FieldError error={error} id={errorId} />
    </div>
  );
}

interface SelectProps<T extends string> {
  /** Shown while nothing is chosen. */
  readonly name: string;
  /** Undefined: any. */
  readonly value: T | undefined;
  readonly choices: readonly (readonly [value: T, label: string])[];
  readonly onChoose: (value: T | undefined) => void;
}

/** One of many choices, or any. */
export function Select<T extends string>({ name, value, choices, onChoose }: SelectProps<T>) {
  // The chosen value stays listed when no row has it any more.
  const isListed = value === undefined || choices.some(([choice]) => choice === value);
  const all = isListed ? choices : [...choices, [value, value] as const];
  return (
    <select
      class={value === undefined ? '' : 'on'}
      aria-label={name}
      value={value ?? ''}
      onChange={({ currentTarget: { value: chosen } }) =>
        onChoose(chosen === '' ? undefined : (chosen as T))
      }
    >
      <option value="">{name}</option>
      {all.map(([choice, label]) => (
        <option key={choice} value={choice}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** A checkbox or radio button with its label. */
export function Choice({
  children,
  ...input
}: ComponentProps<'input'> & { readonly children: ComponentChildren }) {
  return (
    <label class="choice">
      <input {...input} />
      <span>{children}</span>
    </label>
  );
}

interface SwitchProps<T extends string> {
  /** The accessible name of the group. */
  readonly label: string;
  readonly choices: readonly { readonly value: T; readonly label: string }[];
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
}

/** One of a few choices, all in sight. */
export function Switch<T extends string>({ label, choices, chosen, onChoose }: SwitchProps<T>) {
  return (
    <div class="switch" role="group" aria-label={label}>
      {choices.map(({ value, label: text }) => (
        <button key={value} aria-pressed={value === chosen} onClick={() => onChoose(value)}>
          {text}
        </button>
      ))}
    </div>
  );
}

interface FieldErrorProps {
  readonly error: string | undefined;
  readonly id?: string;
}

/** Why an input or an action failed; nothing when it did not. */
export function FieldError({ error, id }: FieldErrorProps) {
  if (error === undefined) return null;
  return (
    <p class="field-error" id={id} role="alert">
      {error}
    </p>
  );
}
