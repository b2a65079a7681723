interface SelectProps<T extends string | null> {
  /** Shown while nothing is chosen. */
  readonly name: string;
  /** Undefined: any. */
  readonly value: T | undefined;
  readonly choices: readonly (readonly [value: T, label: string])[];
  readonly onChoose: (value: T | undefined) => void;
}

/** One of many choices, or any. Values are encoded as JSON to distinguish null from any text. */
export function Select<T extends string | null>({
  name,
  value,
  choices,
  onChoose,
}: SelectProps<T>) {
  const isOn = value !== undefined;
  // The chosen value stays listed when no row has it any more.
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
