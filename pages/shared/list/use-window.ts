import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The part of a long list that is in sight. */
export interface ListWindow {
  readonly first: number;
  readonly last: number;
  readonly rowHeight: number;
  /** Whether the newest row is in view and stays in view when more arrive. */
  readonly isFollowing: boolean;
  /** Rows received since the list stopped following. */
  readonly unseen: number;
  readonly follow: () => void;
  readonly onScroll: () => void;
}

/** Rows above and below those in sight, so that a fast scroll shows no gap. */
const spare = 8;
/** A list that is narrower than this shows a row on two lines. */
const narrowPx = 560;
const defaultRowPx = 36;
const narrowRowPx = 60;

/** A list that grows at one end and may lose rows at the other. */
export interface Listed {
  readonly count: number;
  /** How many rows were ever put at its newest end. */
  readonly appended: number;
  /** How many rows were ever dropped from its oldest end. */
  readonly dropped: number;
  readonly isNewestFirst: boolean;
  /** Another value: another list, which is shown from its newest row on. */
  readonly which: unknown;
  /** Height of a row on one line, in pixels; the style sheet says the same. Default: 36. */
  readonly rowPx?: number;
}

/** Which rows a scrolling list has to render; its scroll position is kept as rows arrive and leave. */
export function useWindow(box: RefObject<HTMLElement | null>, listed: Listed): ListWindow {
  const { count, appended, dropped, isNewestFirst, which, rowPx = defaultRowPx } = listed;
  const size = useSize(box);
  const [top, setTop] = useState(0);
  const [isFollowing, setFollowing] = useState(true);
  const seen = useRef({ appended, dropped });
  const unseenFrom = useRef(0);
  const rowHeight = size.width < narrowPx ? narrowRowPx : rowPx;

  const follow = (): void => {
    setFollowing(true);
    if (box.current) box.current.scrollTop = isNewestFirst ? 0 : box.current.scrollHeight;
  };
  const onScroll = (): void => {
    const list = box.current;
    if (!list) return;
    const rest = list.scrollHeight - list.clientHeight - list.scrollTop;
    const atNewest = (isNewestFirst ? list.scrollTop : rest) < rowHeight;
    if (!atNewest && isFollowing) unseenFrom.current = appended;
    setFollowing(atNewest);
    setTop(list.scrollTop);
  };

  useLayoutEffect(follow, [isNewestFirst, which]);
  useLayoutEffect(() => {
    const came = appended - seen.current.appended;
    const went = dropped - seen.current.dropped;
    seen.current = { appended, dropped };
    if (isFollowing) follow();
    // The rows in view stay in place when rows are added above them.
    else box.current?.scrollBy(0, (isNewestFirst ? came : -went) * rowHeight);
  });

  const first = Math.max(0, Math.floor(top / rowHeight) - spare);
  const last = Math.min(count, Math.ceil((top + size.height) / rowHeight) + spare);
  const unseen = isFollowing ? 0 : appended - unseenFrom.current;
  return { first, last, rowHeight, isFollowing, unseen, follow, onScroll };
}

function useSize(box: RefObject<HTMLElement | null>): { width: number; height: number } {
  const [size, setSize] = useState({ width: 1000, height: 1000 });
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setSize({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return size;
}

/**
 * Scrolls just as far as it takes to see the row that the keyboard has moved to.
 *
 * @param index from the top of the list; undefined for none
 * @param moved something in it is another one after each move, also after one that ends where it began
 */
export function useRowInSight(
  box: RefObject<HTMLElement | null>,
  index: number | undefined,
  rowHeight: number,
  moved: readonly unknown[],
): void {
  useLayoutEffect(() => {
    const list = box.current;
    if (!list || index === undefined) return;
    const headHeight = list.querySelector<HTMLElement>('.head')?.offsetHeight ?? 0;
    const top = index * rowHeight;
    const room = list.clientHeight - headHeight - rowHeight;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top > list.scrollTop + room) list.scrollTop = top - room;
  }, moved);
}
