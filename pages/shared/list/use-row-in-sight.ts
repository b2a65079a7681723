import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/**
 * Scrolls just as far as it takes to see the row that the keyboard has moved to.
 *
 * @param place from the top of the list; undefined for none
 * @param moved something in it is another one after each move, also after one that ends where it began
 */
export function useRowInSight(
  box: RefObject<HTMLElement | null>,
  place: number | undefined,
  rowHeight: number,
  moved: readonly unknown[],
): void {
  useLayoutEffect(() => {
    const list = box.current;
    if (!list || place === undefined) return;
    const headHeight = list.querySelector<HTMLElement>('.head')?.offsetHeight ?? 0;
    const top = place * rowHeight;
    const room = list.clientHeight - headHeight - rowHeight;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top > list.scrollTop + room) list.scrollTop = top - room;
  }, moved);
}
