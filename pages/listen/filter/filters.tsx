import type { Occurring } from '../receive/occurring.js';
import { useInspector } from '../view/inspector.js';
import { isSpecific } from './filter.js';
import { type Field, parseQuery, type Term, termText, withField } from './query.js';

const signatures: Choices = pairs(['valid', 'invalid', 'missing', 'unchecked']);
const statuses: Choices = [...pairs(['2xx', '3xx', '4xx', '5xx']), ['none', 'no response']];

/** The filters of the list; each is a part of the query. */
export function Filters() {
  const inspector = useInspector();
  const { occurring } = inspector.log;
  const { value: query } = inspector.query;
  const terms = parseQuery(query);
  const used = new Set(terms.map(({ field }) => field));
  const user = terms.find(({ field, isNegated }) => field === 'user' && !isNegated)?.value ?? '';
  return (
    <>
      <FilterSelect name="Type" field="type" choices={typesOf(occurring)} />
      <FilterSelect name="Signature" field="signature" choices={signatures} />
      <FilterSelect name="Response" field="status" choices={statuses} />
      {optionalFilters
        .filter(({ field, isOffered }) => isOffered(occurring) || used.has(field))
        .map(({ name, field, choices, isExact }) => (
          <FilterSelect
            key={field}
            name={name}
            field={field}
            choices={choices(occurring)}
            isExact={isExact}
          />
        ))}
      <input
        class={user === '' ? 'user-filter' : 'user-filter on'}
        aria-label="User"
        placeholder="User"
        autocomplete="off"
        spellcheck={false}
        value={user}
        onInput={({ currentTarget: { value } }) =>
          inspector.setQuery(
            withField(query, 'user', value === '' ? [] : [{ field: 'user', value }]),
          )
        }
      />
    </>
  );
}

function typesOf({ types }: Occurring): Choices {
  return types.map((type) => (type === null ? ['none', 'no type'] : [type, type]));
}

type Choices = readonly (readonly [value: string, label: string])[];

interface FilterSelectProps {
  /** Shown while it is not used. */
  readonly name: string;
  readonly field: Field;
  readonly choices: Choices;
  /** Whether a choice is for the whole value of a field that is searched in otherwise. */
  readonly isExact?: boolean | undefined;
}

/** Writes a term into the query: one of the values, or all but one of them. */
function FilterSelect({ name, field, choices, isExact = false }: FilterSelectProps) {
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

/** A filter that is offered when the requests differ in what it asks for. */
interface OptionalFilter {
  readonly name: string;
  readonly field: Field;
  readonly isOffered: (occurring: Occurring) => boolean;
  readonly choices: (occurring: Occurring) => Choices;
  readonly isExact?: boolean;
}

/** Of more paths, the first ones are listed. */
const maxPaths = 50;

/** In the order of the toolbar. */
const optionalFilters: readonly OptionalFilter[] = [
  {
    name: 'Scheme',
    field: 'scheme',
    isOffered: ({ schemes }) => schemes.size > 1,
    choices: ({ schemes }) => [...pairs(schemes.values().sort()), ['none', 'no scheme']],
  },
  {
    name: 'Reason',
    field: 'reason',
    isOffered: ({ reasons }) => reasons.values().some(isSpecific),
    choices: ({ reasons }) => pairs(reasons.values().sort()),
  },
  {
    name: 'Duplicate',
    field: 'duplicate',
    isOffered: ({ duplicates }) => duplicates.size > 0,
    choices: () => [['yes', 'duplicate']],
  },
  {
    name: 'App',
    field: 'forwarded',
    isOffered: ({ hasForwarded }) => hasForwarded,
    choices: () => [
      ['any', 'forwarded'],
      ...pairs(['2xx', '3xx', '4xx', '5xx']),
      ['error', 'no whole response'],
    ],
  },
  {
    name: 'Method',
    field: 'method',
    isOffered: ({ methods }) => methods.size > 1,
    choices: ({ methods }) => pairs(methods.values().sort()),
  },
  {
    name: 'Path',
    field: 'path',
    isOffered: ({ paths }) => paths.size > 1,
    choices: ({ paths }) => pairs(paths.values().slice(0, maxPaths).sort()),
    isExact: true,
  },
  {
    name: 'Fault',
    field: 'fault',
    isOffered: ({ faults }) => faults.size > 0,
    choices: () => [['any', 'any fault']],
  },
];

/** Values that are their own labels. */
function pairs(values: readonly string[]): Choices {
  return values.map((value) => [value, value]);
}
