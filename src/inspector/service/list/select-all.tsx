import type { Outcome } from '../outcomes/outcome.js';
import { useOperations, useView } from '../view/use-view.js';

/** The box over the boxes of the dead letters. */
export function SelectAll({ rows }: { readonly rows: readonly Outcome[] }) {
  const operations = useOperations();
  const selected = useView((view) => view.selected);
  const isAll = rows.length > 0 && selected.size >= rows.length;
  return (
    <span class="cell select" role="columnheader">
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label="Select all that are listed"
        checked={isAll}
        indeterminate={selected.size > 0 && !isAll}
        onChange={() => operations.select(isAll ? [] : rows)}
      />
    </span>
  );
}
