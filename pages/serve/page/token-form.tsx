import { useState } from 'preact/hooks';
import { TextField } from '../../shared/controls/fields.js';
import { RefusedError } from '../../shared/receive/call.js';
import { useOperations } from '../view/operations.js';

/** Asks for the token of `--admin-token-file`. */
export function TokenForm() {
  const operations = useOperations();
  const { value: wasRefused } = operations.wasRefused;
  const [token, setToken] = useState('');
  const [error, setError] = useState(
    wasRefused ? 'The token of this tab is no longer valid.' : undefined,
  );
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await operations.unlock(token.trim());
    } catch (failure) {
      const isWrong = failure instanceof RefusedError && failure.status === 401;
      setError(isWrong ? 'The token is not valid.' : (failure as Error).message);
    }
  };
  return (
    <main class="failure token">
      <h1>evfwd serve</h1>
      <p>
        This service was started with <code>--admin-token-file</code>: enter the token from that
        file. It is kept in this tab until you close it.
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
