import type { DestinationState } from '../../../src/api/serve.js';
import { useNow } from '../view/operations.js';
import { DestinationRow } from './destination-row.js';

interface DestinationsProps {
  readonly destinations: readonly DestinationState[];
}

/** The destinations and their states, a line for each. */
export function Destinations({ destinations }: DestinationsProps) {
  const now = useNow();
  return (
    <section class="panel destinations-panel" aria-labelledby="destinations-title">
      <h2 class="sr-only" id="destinations-title">
        Destinations
      </h2>
      {destinations.length === 0 ? (
        <p class="panel-note">No destination in the configuration.</p>
      ) : (
        <table class="destinations">
          <thead>
            <tr>
              <th scope="col">State</th>
              <th scope="col">Destination</th>
              <th scope="col">Out/s</th>
              <th scope="col">Queued</th>
              <th scope="col">Waiting</th>
              <th scope="col">Dead letters</th>
              <th scope="col">
                <span class="sr-only">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {destinations.map((destination) => (
              <DestinationRow key={destination.name} destination={destination} now={now} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
