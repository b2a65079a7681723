import type { Forwarded } from '../../../src/api/listen.js';
import { Status } from '../../shared/controls/status.js';
import { errorText } from '../../shared/text/format.js';

/** What the app behind `--forward` responded: the status, why there was none, or why it broke off. */
export function AppStatus({ forwarded: { status, error } }: { readonly forwarded: Forwarded }) {
  const isBroken = status !== null && error !== null;
  return (
    <>
      <Status status={status} error={error === null ? 'no response' : errorText(error)} />
      {isBroken && <span class="status bad"> {error}</span>}
    </>
  );
}
