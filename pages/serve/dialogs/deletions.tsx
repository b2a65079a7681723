import { useEffect, useState } from 'preact/hooks';
import type { DeletionRow, Page } from '../../../src/api/serve.js';
import { countText, timestampText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { noFilter } from '../filter/filter.js';
import { useNow, useOperations } from '../view/operations.js';

const shown = 8;

/** The newest deletion requests, clients' included; they are loaded again when `version` changes. */
export function Deletions({ version }: { readonly version: unknown }) {
  const operations = useOperations();
  const now = useNow();
  const [page, setPage] = useState<Page<DeletionRow>>();
  useEffect(() => {
    const abort = new AbortController();
    // The dialog works without this list.
    operations.service.deletions(shown, abort.signal).then(setPage, () => undefined);
    return () => abort.abort();
  }, [version]);
  if (!page || page.rows.length === 0) return null;
  const search = (text: string): void => {
    operations.closeDialog();
    operations.showTab('events', { ...noFilter, search: text, type: 'delete' });
  };
  return (
    <section aria-labelledby="deletions-title">
      <h3 id="deletions-title">Earlier requests</h3>
      <ul class="deletions">
        {page.rows.map(({ id, at, source, user, messageId }) => (
          <li key={id}>
            <time dateTime={at} title={at}>
              {timestampText(at, now)}
            </time>
            <button
              type="button"
              class="link mono"
              title="Show its deliveries"
              onClick={() => search(messageId ?? user)}
            >
              <Received text={user} />
            </button>
            <span class="quiet">
              <Received text={source} />
            </span>
          </li>
        ))}
      </ul>
      {page.total > page.rows.length && (
        <p class="quiet">
          The newest {shown} of {countText(page.total)}.
        </p>
      )}
    </section>
  );
}
