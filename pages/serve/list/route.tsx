import { Received } from '../../shared/text/received.js';
import type { Outcome } from '../outcomes/outcome.js';

/** `web → crm`; the source alone for an event that was not forwarded. */
export function Route({ outcome: { source, destination } }: { readonly outcome: Outcome }) {
  return (
    <>
      <Received text={source} />
      {destination !== null && (
        <>
          {' → '}
          <Received text={destination} />
        </>
      )}
    </>
  );
}
