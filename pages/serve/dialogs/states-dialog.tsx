import { Dialog } from '../../shared/controls/dialog.js';
import { StateWord } from '../../shared/controls/status.js';
import { healthIcons } from '../overview/health-word.js';
import { type Health, healthMeanings } from '../overview/health.js';

/** What the states of destinations mean. */
export function StatesDialog() {
  const healths = Object.entries(healthMeanings) as [Health, string][];
  return (
    <Dialog title="States of destinations">
      <dl class="states">
        {healths.map(([health, meaning]) => (
          <div key={health}>
            <dt>
              <StateWord state={health} icon={healthIcons[health]} />
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
