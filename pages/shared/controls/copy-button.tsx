import { usePage } from '../view/page.js';
import { copyText } from './copy-text.js';
import { Icon } from './icon.js';

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, as in "Copy the URL". */
  readonly what: string;
  /** Shown beside the icon; without it the button is an icon alone. */
  readonly label?: string;
}

/** Copies text, and says so. */
export function CopyButton({ text, what, label }: CopyButtonProps) {
  const page = usePage();
  const copy = async (): Promise<void> => {
    const isCopied = await copyText(text);
    page.notify(isCopied ? `Copied ${what}` : 'The browser did not let the page copy');
  };
  const name = `Copy ${what}`;
  return (
    <button
      class={label === undefined ? 'icon-button' : 'button'}
      title={name}
      aria-label={label === undefined ? name : undefined}
      onClick={() => void copy()}
    >
      <Icon name="copy" />
      {label}
    </button>
  );
}
