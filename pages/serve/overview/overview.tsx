import type { Overview as Known } from '../../../src/api/serve.js';
import { Destinations } from './destinations.js';
import { Sources } from './sources.js';

/** The sources and destinations of the service. */
export function Overview({ overview }: { readonly overview: Known }) {
  return (
    <div class="overview">
      <Sources overview={overview} />
      <Destinations destinations={overview.destinations} />
    </div>
  );
}
