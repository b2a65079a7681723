import type { RequestLog } from '../receive/request-log.js';
import { useInspector, useView } from '../view/use-view.js';
import { FilterSelect } from './filter-select.js';
import { parseQuery, withField, type Field } from './query.js';

type Choices = readonly (readonly [value: string, label: string])[];

const signatures: Choices = pairs(['valid', 'invalid', 'missing', 'unchecked']);
const statuses: Choices = [...pairs(['2xx', '3xx', '4xx', '5xx']), ['none', 'no response']];
const faults: Choices = [['any', 'any fault']];

/** Of more paths, the first ones are listed. */
const mostPaths = 50;

/** The filters of the list; each is a part of the query. */
export function Filters() {
  const inspector = useInspector();
  const { log } = inspector;
  const query = useView((view) => view.query);
  useView((view) => view.version);
  const terms = parseQuery(query);
  const isUsed = (field: Field): boolean => terms.some((term) => term.field === field);
  const user = terms.find(({ field, isNegated }) => field === 'user' && !isNegated)?.value ?? '';
  return (
    <>
      <FilterSelect name="Type" field="type" choices={typesOf(log)} />
      <FilterSelect name="Signature" field="signature" choices={signatures} />
      <FilterSelect name="Response" field="status" choices={statuses} />
      {(log.methods.size > 1 || isUsed('method')) && (
        <FilterSelect name="Method" field="method" choices={pairs(log.methods.values().sort())} />
      )}
      {(log.paths.size > 1 || isUsed('path')) && (
        <FilterSelect
          name="Path"
          field="path"
          choices={pairs(log.paths.values().slice(0, mostPaths).sort())}
          isExact
        />
      )}
      {(log.faults.size > 0 || isUsed('fault')) && (
        <FilterSelect name="Fault" field="fault" choices={faults} />
      )}
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

function typesOf(log: RequestLog): Choices {
  return log.types.map((type) => (type === null ? ['none', 'no type'] : [type, type]));
}

function pairs(values: readonly string[]): Choices {
  return values.map((value) => [value, value]);
}
