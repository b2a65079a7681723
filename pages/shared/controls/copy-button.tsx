import { usePage } from '../view/page.js';
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

/** Puts text on the clipboard. Returns whether it is there. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByHand(text);
  }
}

/** Pages loaded over plain HTTP from another machine have no clipboard API, only this old way. */
function copyByHand(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'sr-only';
  // Inside an open dialog, all else is out of reach.
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else works there
  const isCopied = document.execCommand('copy');
  field.remove();
  return isCopied;
}
