import type { SignatureVerdict } from '../api.js';
import { useInspector, useView } from '../view/use-view.js';
import type { Filter } from './filter.js';

const signatures: readonly SignatureVerdict[] = ['valid', 'invalid', 'missing', 'unchecked'];
const answers: readonly (readonly [NonNullable<Filter['answer']>, string])[] = [
  ['2xx', '2xx'],
  ['3xx', '3xx'],
  ['4xx', '4xx'],
  ['5xx', '5xx'],
  ['none', 'no answer'],
  ['fault', 'any fault'],
];

/** What the list can be narrowed to. */
export function Filters() {
  const inspector = useInspector();
  const filter = useView((view) => view.filter);
  const isShown = useView((view) => view.showsFilters);
  useView((view) => view.version);
  return (
    <div class={isShown ? 'filters shown' : 'filters'} role="group" aria-label="Filters">
      <Select
        name="Type"
        value={filter.type}
        // A type is any text that came; null stands for none.
        choices={inspector.log.types.map((type) => [type, type ?? 'no type'] as const)}
        onChoose={(type) => inspector.setFilter({ type })}
      />
      <Select
        name="Signature"
        value={filter.signature}
        choices={signatures.map((verdict) => [verdict, verdict] as const)}
        onChoose={(signature) => inspector.setFilter({ signature })}
      />
      <Select
        name="Answer"
        value={filter.answer}
        choices={answers}
        onChoose={(answer) => inspector.setFilter({ answer })}
      />
      <input
        class={filter.user === '' ? 'user-filter' : 'user-filter on'}
        aria-label="User"
        placeholder="User"
        autocomplete="off"
        spellcheck={false}
        value={filter.user}
        onInput={(event) => inspector.setFilter({ user: event.currentTarget.value })}
      />
    </div>
  );
}

interface SelectProps<T extends string | null> {
  readonly name: string;
  /** Undefined: any. */
  readonly value: T | undefined;
  readonly choices: readonly (readonly [value: T, label: string])[];
  readonly onChoose: (value: T | undefined) => void;
}

/** Values go through JSON, so that null and every text are told apart. */
function Select<T extends string | null>({ name, value, choices, onChoose }: SelectProps<T>) {
  const isOn = value !== undefined;
  // What is chosen stays to be seen when the last request of its kind has gone.
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
