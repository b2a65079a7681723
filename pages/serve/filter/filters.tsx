import { Select } from '../../shared/controls/fields.js';
import { stateWords } from '../list/outcome-word.js';
import { useOperations } from '../view/operations.js';

const types = ['identify', 'track', 'page', 'screen', 'group', 'alias', 'delete'] as const;

/** The filters of the lists. */
export function Filters() {
  const operations = useOperations();
  const { value: filter } = operations.filter;
  const { value: tab } = operations.tab;
  const { value: overview } = operations.overview;
  const choicesOf = (all: readonly { readonly name: string }[] = []) =>
    all.map(({ name }) => [name, name] as const);
  return (
    <>
      <Select
        name="Source"
        value={filter.source}
        choices={choicesOf(overview?.sources)}
        onChoose={(source) => operations.setFilter({ source })}
      />
      {tab !== 'rejected' && (
        <Select
          name="Destination"
          value={filter.destination}
          choices={choicesOf(overview?.destinations)}
          onChoose={(destination) => operations.setFilter({ destination })}
        />
      )}
      {tab === 'events' && (
        <Select
          name="Outcome"
          value={filter.state}
          choices={stateWords}
          onChoose={(state) => operations.setFilter({ state })}
        />
      )}
      <Select
        name="Type"
        value={filter.type}
        choices={types.map((type) => [type, type] as const)}
        onChoose={(type) => operations.setFilter({ type })}
      />
    </>
  );
}
