import type { Overview as Known } from '../../service-api.js';
import { Destinations } from './destinations.js';
import { Sources } from './sources.js';

/** What comes in and what goes out, at a glance. */
export function Overview({ overview }: { readonly overview: Known }) {
  return (
    <div class="overview">
      <Sources overview={overview} />
      <Destinations destinations={overview.destinations} />
    </div>
  );
}
