/**
 * The built entry of a worker thread. `src/importer/` and `dist/cli/` are both two levels below the
 * package root, so the tests, which run the sources, find it, too.
 */
export const importWorkerFile = new URL('../../dist/cli/import-worker.cjs', import.meta.url);
