import { useState } from 'preact/hooks';
import { TextField } from '../../shared/controls/text-field.js';
import { RefusedError } from '../../shared/receive/call.js';
import { useOperations, useView } from '../view/use-view.js';

/** Asks for the token of `--admin-token-file`, once. */
export function TokenForm() {
  const operations = useOperations();
  const wasRefused = useView((view) => view.wasRefused);
  const [token, setToken] = useState('');
  const [error, setError] = useState(
    wasRefused ? 'The service no longer knows the token of this tab.' : undefined,
  );
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await operations.unlock(token.trim());
    } catch (failure) {
      const isWrong = failure instanceof RefusedError && failure.status === 401;
      setError(isWrong ? 'That is not the token of this service.' : (failure as Error).message);
    }
  };
  return (
    <main class="failure token">
      <h1>evfwd serve</h1>
      <p>
        This service was started with <code>--admin-token-file</code>: enter the token that is in
        that file. It stays in this tab, and is gone when you close it.
      </p>
      <form onSubmit={(event) => void submit(event)}>
        <TextField
          label="Token"
          type="password"
          name="token"
          autofocus
          value={token}
          error={error}
          onText={setToken}
        />
        <button class="button primary">Open</button>
      </form>
    </main>
  );
}
