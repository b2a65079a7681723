import type { Overview as Known } from '../../../src/api/serve.js';
import { Traffic } from '../charts/traffic.js';
import { Destinations } from './destinations.js';
import { Sources } from './sources.js';

/** The sources, what happened over time, and the destinations. */
export function Overview({ overview }: { readonly overview: Known }) {
  return (
    <div class="overview">
      <div class="panel left-panel">
        <Sources overview={overview} />
        <Traffic />
      </div>
      <Destinations destinations={overview.destinations} />
    </div>
  );
}
