/** Puts text on the clipboard. Returns whether it is there. */
export async function copyText(text: string): Promise<boolean> {
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
