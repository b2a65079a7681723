/** Every page has one list, which has the keyboard where nothing else needs it. */
export function focusList(): void {
  document.querySelector<HTMLElement>('[role="grid"].rows')?.focus();
}
