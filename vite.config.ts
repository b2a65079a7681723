import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** Builds the inspector page of `evfwd listen`: src/inspector → dist/inspector. */
export default defineConfig({
  root: fileURLToPath(new URL('src/inspector', import.meta.url)),
  base: '/_evfwd/',
  // No module is fetched ahead, so nothing needs the inline script that would do it for old browsers.
  build: {
    outDir: fileURLToPath(new URL('dist/inspector', import.meta.url)),
    emptyOutDir: false,
    modulePreload: false,
    // What is bundled asks for its licence to stand beside it.
    license: { fileName: 'licenses.md' },
    target: 'es2022',
    // The first browsers that know light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    reportCompressedSize: false,
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
