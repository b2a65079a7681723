import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface EventFiles {
  readonly names: readonly string[];
  /** Lines of all files, the invalid ones included; numbered from 0 over all files. */
  readonly count: number;
}

export interface EventFilesShape {
  readonly files: number;
  readonly perFile: number;
  /** Characters of a line, about: 1,000 unless set, so that 8,000 events are a range. */
  readonly lineLength?: number;
  readonly isGzip?: boolean;
  /** Whether all lines are events. */
  readonly isClean?: boolean;
  /** Number of the first event. */
  readonly first?: number;
}

/** Whether line `n` is not an event. */
export const isInvalid = (n: number): boolean => n % 97 === 13;

/** Writes files of events that are known by the number in their properties; some have no messageId. */
export function writeEventFiles(folder: string, shape: EventFilesShape): EventFiles {
  const { files, perFile, first = 0, isGzip = false } = shape;
  const names = Array.from({ length: files }, (_, file) => {
    const name = `part-${first}-${file}.ndjson${isGzip ? '.gz' : ''}`;
    const text = lines(first + file * perFile, perFile, shape);
    writeFileSync(join(folder, name), isGzip ? gzipSync(text, { level: 1 }) : text);
    return name;
  });
  return { names, count: files * perFile };
}

function lines(from: number, count: number, { lineLength = 1_000, isClean }: EventFilesShape) {
  const pad = 'x'.repeat(Math.max(0, lineLength - 160));
  return Array.from({ length: count }, (_, i) => line(from + i, pad, isClean === true)).join('');
}

function line(n: number, pad: string, isClean: boolean): string {
  if (!isClean && isInvalid(n)) return `not json ${n}\n`;
  const id = n % 5 === 0 ? '' : `"messageId":"m${n}",`;
  return `{"type":"track","userId":"u${n % 50}","event":"E",${id}"timestamp":"2026-01-01T00:00:00Z","properties":{"n":${n},"pad":"${pad}"}}\n`;
}
