import type { Command } from 'commander';
import type { GivenFormatName } from '../../sources/formats/decode.js';
import type { VendorFiles } from '../../vendors/index.js';

/** The flags of commands that read event files. */
export interface SourceFlags {
  filesFrom?: string;
  format?: GivenFormatName;
  sourceHeader?: string[];
  sourceCa?: string;
  s3Endpoint?: string;
  s3Region?: string;
  /** Of commands that also send: for `https://` and `s3://`, too. */
  proxy?: string;
  /** How the files of the vendor of `--from` are read. */
  vendorFiles?: VendorFiles | undefined;
}

/** Event files as arguments; without any, a pipe is read. */
export function addSourceArguments(command: Command): Command {
  return command.argument(
    '[file...]',
    'files, directories, quoted patterns, https:// or s3:// URLs; NDJSON, JSON arrays, CSV, TSV or Parquet, also in gzip, zstd or zip; - for standard input, which may be left out for a pipe',
  );
}
