import type { RequestRow } from '../../../src/api/listen.js';
import { Fact } from '../../shared/detail/facts.js';
import { useInspector } from '../view/inspector.js';

interface DuplicateFactProps {
  readonly row: RequestRow;
  /** The id that the headers of its signature carry, if any. */
  readonly webhookId: string | null | undefined;
}

/** That a request was recognized as a repeat; a link lists those with the same id. */
export function DuplicateFact({ row, webhookId }: DuplicateFactProps) {
  const inspector = useInspector();
  const id = webhookId ?? row.messageId;
  if (!row.isDuplicate) return null;
  return (
    <Fact name="Duplicate">
      of an earlier request
      {id !== null && (
        <button class="link" onClick={() => inspector.showText(id)}>
          All requests with this id
        </button>
      )}
    </Fact>
  );
}
