import type { BeforeMap } from '../events/map/compile-map.js';
import type { EventMap } from '../events/map/event-map.js';

/** How the files of a vendor are read where their bytes do not say it. */
export interface VendorFiles {
  readonly format: 'tsv';
  /** The names of the columns, since the files have no header. */
  readonly columns: readonly string[];
  /** Whether a quote begins a quoted cell; else it is a character like any other. */
  readonly hasQuotes: boolean;
}

/** An analytics vendor whose exports can be imported. */
export interface Vendor {
  readonly name: string;
  readonly map: EventMap;
  /** What a map cannot say: makes records that fit `map` of those of the vendor. */
  readonly before?: BeforeMap;
  readonly files?: VendorFiles;
}
