import { countOf } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { useOperations } from '../view/operations.js';

/** The errors of the service itself, if there are any. */
export function ServiceErrors() {
  const { value: overview } = useOperations().overview;
  const state = overview?.stateError ?? null;
  const damaged = overview?.damagedEvents ?? 0;
  const configuration = overview?.configurationError ?? null;
  return (
    <div role="alert">
      {state !== null && (
        <p class="banner">
          <strong>Events are not accepted, clients get 503:</strong> <Received text={state} />
        </p>
      )}
      {damaged > 0 && (
        <p class="banner">
          <strong>{countOf(damaged, 'waiting event')} cannot be read:</strong> set aside in
          serve.db, and not sent; the others are.
        </p>
      )}
      {configuration !== null && (
        <p class="banner">
          <strong>The newer configuration is not in use:</strong> <Received text={configuration} />
        </p>
      )}
    </div>
  );
}
