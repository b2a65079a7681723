/** A column of a table; widths are in columns of the terminal. */
export interface Column<Name extends string> {
  readonly name: Name;
  /** The column with the lowest rank is left out first; one of rank `Infinity` never. */
  readonly rank: number;
  readonly least: number;
  /** What it takes where there is room. */
  readonly most: number;
}

export interface TableLayout<Name extends string> {
  readonly columns: readonly SizedColumn<Name>[];
  readonly gap: string;
}

export interface SizedColumn<Name extends string> {
  readonly name: Name;
  readonly width: number;
}

const gap = '  ';

/**
 * Leaves out columns until the others fit into `available` columns of the terminal, then widens these,
 * from left to right. Undefined is a stream without a width, where nothing is left out or cut.
 */
export function tableLayout<Name extends string>(
  columns: readonly Column<Name>[],
  available = Infinity,
): TableLayout<Name> {
  let shown = columns;
  while (leastWidthOf(shown) > available) {
    const lowest = Math.min(...shown.map(({ rank }) => rank));
    if (lowest === Infinity) break;
    shown = shown.filter(({ rank }) => rank !== lowest);
  }
  return { columns: sized(shown, available - leastWidthOf(shown)), gap };
}

function leastWidthOf(columns: readonly Pick<Column<string>, 'least'>[]): number {
  return columns.reduce((sum, { least }) => sum + least, 0) + gap.length * (columns.length - 1);
}

/** `spare`: what the columns leave; negative if one that is always there is too wide. */
function sized<Name extends string>(
  columns: readonly Column<Name>[],
  spare: number,
): SizedColumn<Name>[] {
  let left = spare;
  return columns.map(({ name, least, most }) => {
    const width = Math.max(1, Math.min(most, least + left));
    left -= width - least;
    return { name, width };
  });
}
