/** What a file can be instead of NDJSON. */
export type Format =
  | 'zip'
  | '7z'
  | 'tar'
  | 'gzip'
  | 'zstd'
  | 'xz'
  | 'bzip2'
  | 'lz4'
  | 'parquet'
  | 'utf-16le'
  | 'utf-16be'
  | 'json-array'
  | 'json-batch'
  | 'json-events'
  | 'json-data'
  | 'json-object'
  | 'har'
  | 'csv'
  | 'tsv'
  | 'html'
  | 'xml';

/** A format; `unknown` if it is NDJSON or nothing known; `more` if more bytes are needed. */
export type Detection = Format | 'unknown' | 'more';

/** Which bytes a detection has. */
export interface Sample {
  readonly start: Buffer;
  /** The file ends after them. */
  readonly isAll: boolean;
  /** They are as many as there will be. */
  readonly isEnough: boolean;
}
