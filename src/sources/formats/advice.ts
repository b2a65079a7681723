import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { splitEntry } from '../entry-name.js';
import type { Format } from './kinds.js';

interface Advice {
  /** What it is: "is a zip archive". */
  readonly what: string;
  /** Prints the content of a file whose name is added, or of a pipe. */
  readonly command?: string;
  /** The command cannot read a pipe. */
  readonly needsFile?: true;
  /** What to do where there is no such command. */
  readonly next?: string;
}

const unpack = 'unpack it to a file and pass that';
const convert = 'convert it to NDJSON, one event per line';
const list = (name: string): Advice => ({
  what: `is a JSON object with an array "${name}", not NDJSON`,
  command: `jq -c '.${name}[]'`,
});

/** What each format is called, and how to make NDJSON of it with tools that most machines have. */
const advices: Readonly<Record<Format, Advice>> = {
  zip: { what: 'is a zip archive', command: 'unzip -p', needsFile: true },
  '7z': { what: 'is a 7z archive', command: '7z x -so', needsFile: true },
  tar: { what: 'is a tar archive' },
  gzip: { what: 'is compressed twice', command: 'gzip -dc' },
  zstd: { what: 'is compressed with zstd', command: 'zstd -dc' },
  xz: { what: 'is compressed with xz', command: 'xz -dc' },
  bzip2: { what: 'is compressed with bzip2', command: 'bzip2 -dc' },
  lz4: { what: 'is compressed with lz4', command: 'lz4 -dc' },
  parquet: {
    what: 'is Parquet, which is read from its end',
    next: 'save it to a file of its own, and pass that',
  },
  'utf-16le': { what: 'is UTF-16, not UTF-8', command: 'iconv -f UTF-16LE -t UTF-8' },
  'utf-16be': { what: 'is UTF-16, not UTF-8', command: 'iconv -f UTF-16BE -t UTF-8' },
  'json-array': { what: 'is a JSON array, not NDJSON', command: `jq -c '.[]'` },
  'json-batch': list('batch'),
  'json-events': list('events'),
  'json-data': list('data'),
  'json-object': {
    what: 'is JSON over several lines, not NDJSON (one JSON object per line)',
    command: 'jq -c .',
  },
  har: {
    what: 'is a HAR file, not NDJSON',
    next: 'send its requests with evfwd replay, or check them with evfwd verify-sig --requests',
  },
  csv: { what: 'is CSV, not NDJSON', next: convert },
  tsv: { what: 'is tab-separated text, not NDJSON', next: convert },
  html: {
    what: 'is an HTML page, not NDJSON',
    next: 'download the file again; a login or error page may have been saved in its place',
  },
  xml: { what: 'is XML, not NDJSON', next: convert },
};

/**
 * One sentence: what the file is, and the command that makes an event file of it.
 *
 * @param name the file; `-` is standard input
 * @param isGzip whether the format is inside gzip
 */
export function adviceFor(format: Format, name: string, isGzip: boolean): string {
  const { what, next } = advices[format];
  const inside = isGzip && format !== 'gzip' ? ' (inside gzip)' : '';
  const shown = name === '-' ? 'standard input' : name;
  return `${shown}: ${what}${inside}; ${next ?? nextFor(format, name, isGzip)}`;
}

function nextFor(format: Format, name: string, isGzip: boolean): string {
  const isPipe = name === '-';
  if (splitEntry(name).entry !== undefined) return unpack;
  if (/^(?:https?|s3):\/\//.test(name)) return 'download it, and pass the file';
  const command = commandFor(format, isPipe ? undefined : shellName(name), isGzip);
  if (command === undefined) return unpack;
  if (isPipe) return `pipe it through: ${command}`;
  return `convert it with: ${command} > ${shellName(freeName(name))}`;
}

/** Undefined where no single line does it. */
function commandFor(format: Format, file: string | undefined, isGzip: boolean): string | undefined {
  const { command = '', needsFile } = advices[format];
  if (format === 'tar') return `tar -x${isGzip ? 'z' : ''}Of ${file ?? '-'}`;
  if (needsFile && (isGzip || file === undefined)) return undefined;
  const end = file === undefined ? '' : ` ${file}`;
  return isGzip ? `gzip -dc${end} | ${command}` : `${command}${end}`;
}

/** Quoted for a POSIX shell only where it has to be. */
function shellName(name: string): string {
  const safe = name.startsWith('-') ? `./${name}` : name;
  return /^[\w./@%+=:,-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", String.raw`'\''`)}'`;
}

const extensions = /(?:\.(?:gz|tgz|zip|7z|tar|zst|xz|bz2|lz4|json|jsonl|ndjson|txt|log))+$/i;

/** A name for the converted file that no file has yet: a redirection would replace it. */
function freeName(name: string): string {
  const stem = join(dirname(name), basename(name).replace(extensions, ''));
  for (let n = 1; ; n++) {
    const free = n === 1 ? `${stem}.ndjson` : `${stem}-${n}.ndjson`;
    if (!existsSync(free)) return free;
  }
}
