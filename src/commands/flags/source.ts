import { givenFormatNames, type GivenFormatName } from '../../sources/formats/decode.js';
import { vendorNames } from '../../vendors/index.js';
import { collectHeader, invalidValue } from '../shared/flag-values.js';
import { flag, type Flag } from './flag.js';
import { asParsed, filesFromFlag } from './run.js';

const formatFlag = flag(
  '--format <format>',
  'read all files as ndjson, json, csv, tsv or parquet (default: by their bytes)',
  {
    parse: (text: string): GivenFormatName => {
      const format = givenFormatNames.find((name) => name === text);
      if (format) return format;
      throw invalidValue(text, `must be one of ${givenFormatNames.join(', ')}`);
    },
    values: givenFormatNames,
    identity: asParsed,
  },
);

/** What it takes to read files that are not on this machine. */
export const placeFlags = [
  flag(
    '--source-header <line>',
    'header for https:// sources, e.g. "Authorization: Bearer …" (repeatable)',
    {
      parse: collectHeader,
      secret: 'header',
    },
  ),
  flag(
    '--source-ca <file>',
    'PEM file with certificates to trust for sources, beside those of Node',
  ),
  flag('--s3-endpoint <url>', 'URL of a store that is compatible with S3 (default: AWS)'),
  flag(
    '--s3-region <region>',
    'region of the S3 buckets (default: by environment and AWS profile)',
  ),
];

/** Where files are, and how they are read. @param files what they are called */
export function sourceFlags(files?: string): Flag[] {
  return [filesFromFlag(files), formatFlag, ...placeFlags];
}

/** How records that are no events become some. */
export const mapFlags = {
  from: flag('--from <vendor>', `read the export of a vendor: ${vendorNames.join(', ')}`, {
    parse: (text: string) => {
      if (vendorNames.includes(text)) return text;
      throw invalidValue(
        text,
        `is not a known vendor; use one of ${vendorNames.join(', ')}, or --map`,
      );
    },
    values: vendorNames,
    repeated: 'records',
  }),
  map: flag(
    '--map <file>',
    'YAML file that says where type, user, time and properties stand in a record',
    {
      repeated: 'records',
    },
  ),
};

export const printMapFlag = flag('--print-map', 'print the map of --from, and end', {
  needs: { flag: '--from' },
});
