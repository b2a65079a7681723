// Reads the rows of a Parquet file by hyparquet, as objects, a row group at a time.
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';

const file = await asyncBufferFromFile(process.argv[2]);
const metadata = await parquetMetadataAsync(file);
let events = 0;
let rowStart = 0;
for (const { num_rows } of metadata.row_groups) {
  const rowEnd = rowStart + Number(num_rows);
  const rows = await parquetReadObjects({ file, metadata, compressors, rowStart, rowEnd });
  for (const row of rows) if (row.messageId) events++;
  rowStart = rowEnd;
}
process.stdout.write(`${events}\n`);
