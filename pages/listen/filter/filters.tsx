import type { SignatureVerdict } from '../../../src/api/listen.js';
import { Select } from '../../shared/controls/select.js';
import { useInspector, useView } from '../view/use-view.js';
import type { Filter } from './filter.js';

const signatures: readonly SignatureVerdict[] = ['valid', 'invalid', 'missing', 'unchecked'];
const responses: readonly (readonly [NonNullable<Filter['response']>, string])[] = [
  ['2xx', '2xx'],
  ['3xx', '3xx'],
  ['4xx', '4xx'],
  ['5xx', '5xx'],
  ['none', 'no response'],
  ['fault', 'any fault'],
];

/** The filters of the list. */
export function Filters() {
  const inspector = useInspector();
  const filter = useView((view) => view.filter);
  useView((view) => view.version);
  return (
    <>
      <Select
        name="Type"
        value={filter.type}
        // A type is any received text; null means no type.
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
        name="Response"
        value={filter.response}
        choices={responses}
        onChoose={(response) => inspector.setFilter({ response })}
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
    </>
  );
}
