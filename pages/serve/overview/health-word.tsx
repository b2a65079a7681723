import type { DestinationState } from '../../../src/api/serve.js';
import type { IconName } from '../../shared/controls/icon.js';
import { StateWord } from '../../shared/controls/status.js';
import { useOperations } from '../view/operations.js';
import { type Health, healthMeanings, healthOf, lastResultOf } from './health.js';

export const healthIcons: Readonly<Record<Health, IconName>> = {
  delivering: 'check',
  waiting: 'clock',
  paused: 'pause',
  failing: 'bolt',
  gone: 'trash',
  down: 'cross',
  off: 'stop',
  removed: 'dash',
  idle: 'circle',
};

/** The health of a destination, `failing · 500`; where it has failed, a button that shows how. */
export function HealthWord({ destination }: { readonly destination: DestinationState }) {
  const operations = useOperations();
  const health = healthOf(destination);
  const result = lastResultOf(destination, health);
  const word = result === undefined ? health : `${health} · ${result}`;
  const meaning = `${health}: ${healthMeanings[health]}`;
  const state = <StateWord state={health} icon={healthIcons[health]} word={word} />;
  if (!hasFailed.has(health) || destination.lastFailure === null) {
    return <span title={meaning}>{state}</span>;
  }
  return (
    <button
      class="state-button"
      title={`${meaning}. Click to see the last failure`}
      onClick={() => operations.show({ name: 'last-failure', destination: destination.name })}
    >
      {state}
    </button>
  );
}

const hasFailed: ReadonlySet<Health> = new Set(['failing', 'gone', 'down', 'waiting', 'paused']);
