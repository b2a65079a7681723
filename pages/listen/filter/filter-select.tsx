import { useInspector } from '../view/inspector.js';
import { parseQuery, termText, withField, type Field, type Term } from './query.js';

export type Choices = readonly (readonly [value: string, label: string])[];

interface FilterSelectProps {
  /** Shown while it is not used. */
  readonly name: string;
  readonly field: Field;
  readonly choices: Choices;
  /** Whether a choice is for the whole value of a field that is searched in otherwise. */
  readonly isExact?: boolean | undefined;
}

/** Writes a term into the query: one of the values, or all but one of them. */
export function FilterSelect({ name, field, choices, isExact = false }: FilterSelectProps) {
  const inspector = useInspector();
  const { value: query } = inspector.query;
  const terms = parseQuery(query).filter((term) => term.field === field);
  const current = terms.map(termText).join(' ');
  const options = [false, true].map((isNegated) =>
    choices.map(([value, label]) => {
      const term: Term = { field, value, isNegated, isExact };
      return { value: termText(term), label: isNegated ? `not ${label}` : label };
    }),
  );
  const isListed = options.flat().some(({ value }) => value === current);
  const choose = (value: string): void =>
    inspector.setQuery(withField(query, field, parseQuery(value)));
  return (
    <select
      class={current === '' ? '' : 'on'}
      aria-label={name}
      value={current}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      <option value="">{name}</option>
      {!isListed && current !== '' && <option value={current}>{current}</option>}
      {options.map((list, index) => (
        <optgroup key={index} label={index === 0 ? 'is' : 'is not'}>
          {list.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}
