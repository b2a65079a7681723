interface SelectProps<T extends string | null> {
  /** Shown while anything goes. */
  readonly name: string;
  /** Undefined: any. */
  readonly value: T | undefined;
  readonly choices: readonly (readonly [value: T, label: string])[];
  readonly onChoose: (value: T | undefined) => void;
}

/** One of many choices, or any. Values go through JSON, so that null and every text are told apart. */
export function Select<T extends string | null>({
  name,
  value,
  choices,
  onChoose,
}: SelectProps<T>) {
  const isOn = value !== undefined;
  // What is chosen stays to be seen when the last of its kind has gone.
  const isListed = !isOn || choices.some(([choice]) => choice === value);
  const all = isListed ? choices : [...choices, [value, value ?? `no ${name}`] as const];
  return (
    <select
      class={isOn ? 'on' : ''}
      aria-label={name}
      value={isOn ? JSON.stringify(value) : ''}
      onChange={({ currentTarget: { value: chosen } }) =>
        onChoose(chosen === '' ? undefined : (JSON.parse(chosen) as T))
      }
    >
      <option value="">{name}</option>
      {all.map(([choice, label]) => (
        <option key={choice} value={JSON.stringify(choice)}>
          {label}
        </option>
      ))}
    </select>
  );
}
