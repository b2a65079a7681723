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
