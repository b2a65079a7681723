/** The built entry of a worker thread; sources that are run by the tests use it, too. */
export const importWorkerFile = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/threads/import-worker.js' : './import-worker.js',
  import.meta.url,
);
