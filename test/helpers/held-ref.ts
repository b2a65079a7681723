import type { ItemKind, ItemRef } from '../../src/importer/shared/item.js';

/** An item that is held without a store; `lost` says that it is not any more. */
export function refOf(kind: ItemKind, id: string, lost = new AbortController().signal): ItemRef {
  return { run: 'run', kind, id, job: { id, attempt: 0, data: {}, lost } };
}
