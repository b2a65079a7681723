import { Icon, type IconName } from './icon.js';

interface StateWordProps {
  /** The class that colors it. */
  readonly state: string;
  readonly icon: IconName;
  readonly word?: string;
}

/** A state as a shape, a color and a word. */
export function StateWord({ state, icon, word = state }: StateWordProps) {
  return (
    <span class={`verdict ${state}`}>
      <Icon name={icon} />
      {word}
    </span>
  );
}
