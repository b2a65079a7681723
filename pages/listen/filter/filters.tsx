import type { Occurring } from '../receive/occurring.js';
import { useInspector } from '../view/inspector.js';
import { FilterSelect, type Choices } from './filter-select.js';
import { optionalFilters, pairs } from './optional-filters.js';
import { parseQuery, withField } from './query.js';

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
