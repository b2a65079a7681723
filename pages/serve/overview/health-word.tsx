import type { IconName } from '../../shared/controls/icon.js';
import { StateWord } from '../../shared/controls/state-word.js';
import type { Health } from './health.js';

const icons: Readonly<Record<Health, IconName>> = {
  delivering: 'check',
  waiting: 'clock',
  paused: 'pause',
  down: 'cross',
  off: 'stop',
  idle: 'circle',
};

/** The health of a destination. */
export function HealthWord({ health }: { readonly health: Health }) {
  return <StateWord state={health} icon={icons[health]} />;
}
