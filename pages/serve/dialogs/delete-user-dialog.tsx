import { useEffect, useState } from 'preact/hooks';
import type { DeletionResult, DeletionRow, Page } from '../../../src/api/serve.js';
import { Dialog, useAction } from '../../shared/controls/dialog.js';
import { Choice, FieldError, TextField } from '../../shared/controls/fields.js';
import { countText, timestampText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { noFilter } from '../filter/filter.js';
import { useNow, useOperations } from '../view/operations.js';

/** Asks the destinations of some or all sources to delete a user. */
export function DeleteUserDialog() {
  const operations = useOperations();
  // Requests of raw sources have no user.
  const sources = (operations.overview.value?.sources ?? []).filter(({ raw }) => !raw);
  const [userId, setUserId] = useState('');
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const chosen = sources.map(({ name }) => name).filter((name) => !left.has(name));
  const { isRunning, result, error, run } = useAction(() =>
    operations.service.deleteUser(left.size === 0 ? { userId } : { userId, sources: chosen }),
  );
  const submit = (event: Event): void => {
    event.preventDefault();
    run();
  };
  const choose = (name: string, isChosen: boolean): void => {
    const next = new Set(left);
    if (isChosen) next.delete(name);
    else next.add(name);
    setLeft(next);
  };
  return (
    <Dialog title="Delete a user">
      <p>
        Each destination of these sources gets one notification to delete the user. Events that are
        in flight are still delivered.
      </p>
      <form onSubmit={submit}>
        <TextField label="User id" class="mono" name="userId" value={userId} onText={setUserId} />
        <fieldset>
          <legend>Sources</legend>
          {sources.map(({ name, destinations }) => (
            <Choice
              key={name}
              type="checkbox"
              checked={!left.has(name)}
              onChange={(event) => choose(name, event.currentTarget.checked)}
            >
              <Received text={name} />{' '}
              <span class="quiet">
                →{' '}
                {destinations.length > 0 ? (
                  <Received text={destinations.join(', ')} />
                ) : (
                  'no destination'
                )}
              </span>
            </Choice>
          ))}
        </fieldset>
        <FieldError error={error} />
        <div role="status">{result && <Result result={result} />}</div>
        <div class="dialog-actions">
          {result && (
            <button
              type="button"
              class="button"
              onClick={() => {
                operations.closeDialog();
                operations.showTab('events', { ...noFilter, type: 'delete' });
              }}
            >
              Show deletions
            </button>
          )}
          <button class="button danger" disabled={isRunning || chosen.length === 0}>
            Send deletion
          </button>
        </div>
      </form>
      <Deletions version={result} />
    </Dialog>
  );
}

function Result({ result: { deletions } }: { readonly result: DeletionResult }) {
  if (deletions.length === 0) {
    return (
      <p class="callout bad">
        <strong>Nothing was sent.</strong> None of these sources has an enabled destination.
      </p>
    );
  }
  return (
    <p class="callout">
      <strong>In flight.</strong>{' '}
      {deletions.map(({ source, destinations }) => (
        <span class="line" key={source}>
          <Received text={`${source} → ${destinations.join(', ')}`} />
        </span>
      ))}
    </p>
  );
}

const shown = 8;

/** The newest deletion requests, clients' included; they are loaded again when `version` changes. */
function Deletions({ version }: { readonly version: unknown }) {
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
              onClick={() => search(messageId)}
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
