/**
 * The built entry of a worker thread. `src/importer/` and `dist/cli/` both lie two levels below the
 * package's root, so that the tests, which run the sources, find it, too.
 */
export const importWorkerFile = new URL('../../dist/cli/import-worker.cjs', import.meta.url);
