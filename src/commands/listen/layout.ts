/** The columns of a line, in columns of the terminal; 0 for one that is left out. */
export interface Layout {
  /** False: the time without its milliseconds. */
  readonly hasMilliseconds: boolean;
  readonly gap: number;
  readonly event: number;
  readonly user: number;
  readonly path: number;
  readonly size: number;
  /** What the response and its fault may take; Infinity if nothing is cut. */
  readonly response: number;
  /** Texts longer than their column are cut off. */
  readonly isCut: boolean;
}

export const signatureWidth = 9;
export const timeWidth = { long: 12, short: 8 };

/** A status, or `truncate`, the longest word for a response without one. */
const responseWidth = 8;
/** A status and the longest reason of an invalid signature. */
const notedResponseWidth = 20;
/** From this width on, there is room for two spaces between columns and for milliseconds. */
const roomyWidth = 70;

const wide = { event: 30, user: 16, path: 20, size: 9 };

/** One column after the other gives way until the line fits. */
const steps: readonly Partial<typeof wide>[] = [
  { event: 26 },
  { path: 16 },
  { event: 22, user: 12 },
  { user: 10, path: 12 },
  { size: 8 },
  { size: 0 },
  { event: 16 },
  { user: 6, path: 8 },
  { event: 12 },
  { user: 0 },
  { event: 6 },
  { path: 0 },
  { event: 0 },
];

/** What the lines show besides the columns that always stay. */
export interface Shown {
  readonly showsPath: boolean;
  readonly showsUser: boolean;
  readonly hasNotes: boolean;
}

/** Computes a layout only if the width or what is shown has changed. */
export class NewestLayout {
  #layout: Layout | undefined;
  #columns: number | undefined;
  #shown: Shown | undefined;

  for(columns: number | undefined, shown: Shown): Layout {
    const isSame = columns === this.#columns && isEqual(shown, this.#shown);
    if (this.#layout && isSame) return this.#layout;
    this.#columns = columns;
    this.#shown = shown;
    return (this.#layout = layoutFor(columns, shown));
  }
}

function isEqual(one: Shown, other: Shown | undefined): boolean {
  return (
    one.showsPath === other?.showsPath &&
    one.showsUser === other.showsUser &&
    one.hasNotes === other.hasNotes
  );
}

/**
 * The layout for a terminal of `columns`; undefined is a stream without a width, where nothing is cut.
 * The time, the status of the signature and the response always stay.
 */
export function layoutFor(
  columns: number | undefined,
  { showsPath, showsUser, hasNotes }: Shown,
): Layout {
  const isRoomy = columns === undefined || columns >= roomyWidth;
  const common = { hasMilliseconds: isRoomy, gap: isRoomy ? 2 : 1 };
  let widths = {
    ...wide,
    user: showsUser ? wide.user : 0,
    path: showsPath ? wide.path : 0,
  };
  if (columns === undefined) return { ...common, ...widths, response: Infinity, isCut: false };
  const needed = hasNotes && isRoomy ? notedResponseWidth : responseWidth;
  for (const step of steps) {
    if (restOf(columns, widths, common) >= needed) break;
    widths = narrowed(widths, step);
  }
  return { ...common, ...widths, response: restOf(columns, widths, common), isCut: true };
}

function narrowed(widths: typeof wide, step: Partial<typeof wide>): typeof wide {
  const path = Math.min(widths.path, step.path ?? widths.path);
  const user = Math.min(widths.user, step.user ?? widths.user);
  return { ...widths, ...step, user, path };
}

/** What the other columns leave for the response. */
function restOf(
  columns: number,
  widths: typeof wide,
  { hasMilliseconds, gap }: Pick<Layout, 'hasMilliseconds' | 'gap'>,
): number {
  const time = hasMilliseconds ? timeWidth.long : timeWidth.short;
  const shown = [time, ...Object.values(widths), signatureWidth].filter((width) => width > 0);
  return columns - shown.reduce((sum, width) => sum + width + gap, 0);
}
