import { Icon } from '../../shared/controls/icon.js';
import { countText } from '../../shared/text/format.js';
import { useOperations, useView } from '../view/use-view.js';

/** What can be done with the dead letters that are selected. */
export function SelectionBar() {
  const operations = useOperations();
  const selected = useView((view) => view.selected);
  if (selected.size === 0) return null;
  const letters = [...selected.values()];
  return (
    <div class="selection" role="group" aria-label="Selection">
      <p>{countText(selected.size)} selected</p>
      <button
        class="button primary"
        onClick={() => operations.show({ name: 'redeliver', letters })}
      >
        <Icon name="replay" />
        Redeliver
      </button>
      <button class="button" onClick={() => operations.select([])}>
        Drop the selection
      </button>
    </div>
  );
}
