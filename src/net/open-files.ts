import { readFileSync } from 'node:fs';

/** How many files and sockets this process may have open; Infinity where that is not known. */
export function maxOpenFiles(limits = limitsOfProcess()): number {
  const files = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return files === undefined ? Infinity : Number(files);
}

/** Only Linux has this file. */
function limitsOfProcess(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
