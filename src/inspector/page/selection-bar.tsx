import { Icon } from '../shared/controls/icon.js';
import { countText } from '../shared/text/format.js';
import { useInspector, useView } from '../view/use-view.js';

/** What can be done with the requests that are selected. */
export function SelectionBar() {
  const inspector = useInspector();
  const count = useView((view) => view.selected.size);
  if (count === 0) return null;
  return (
    <div class="selection" role="group" aria-label="Selection">
      <p>{countText(count)} selected</p>
      <button class="button primary" onClick={() => inspector.show('replay')}>
        <Icon name="replay" />
        Replay
      </button>
      <button class="button" onClick={() => inspector.select([])}>
        Drop the selection
      </button>
    </div>
  );
}
