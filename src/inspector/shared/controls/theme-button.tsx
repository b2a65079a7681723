import type { Theme } from '../view/theme.js';
import { Icon, type IconName } from './icon.js';

const icons: Readonly<Record<Theme, IconName>> = { system: 'screen', light: 'sun', dark: 'moon' };

interface ThemeButtonProps {
  readonly theme: Theme;
  readonly onNext: () => void;
}

/** Light or dark, or as the system is. */
export function ThemeButton({ theme, onNext }: ThemeButtonProps) {
  return (
    <button
      class="icon-button"
      aria-label={`Theme: ${theme}`}
      title={`Theme: ${theme} (t)`}
      onClick={onNext}
    >
      <Icon name={icons[theme]} />
    </button>
  );
}
