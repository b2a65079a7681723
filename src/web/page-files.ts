import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Where the build puts the page; every built or source file lies two levels below the root. */
export const builtPage = fileURLToPath(new URL('../../dist/inspector/', import.meta.url));

/** The same for the page of `serve`. */
export const builtServicePage = fileURLToPath(new URL('../../dist/service-page/', import.meta.url));

/**
 * The files of a page by their path below `/_evfwd/`, or undefined when it is not built. Only listed
 * paths are served, so none leads out of the folder.
 */
export function readPage(folder: string): ReadonlyMap<string, PageFile> | undefined {
  try {
    const files = new Map([['', read(join(folder, 'index.html'))]]);
    for (const name of readdirSync(join(folder, 'assets'))) {
      if (types[extname(name)]) files.set(`assets/${name}`, read(join(folder, 'assets', name)));
    }
    return files;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function read(path: string): PageFile {
  return { type: types[extname(path)]!, bytes: readFileSync(path) };
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};
