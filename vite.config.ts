import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** The pages by the mode that builds each: where its source is, and where it is built to. */
const pages: Readonly<Record<string, { source: string; built: string }>> = {
  listen: { source: 'pages/listen', built: 'dist/inspector' },
  serve: { source: 'pages/serve', built: 'dist/service-page' },
};

/** Builds the page of `evfwd listen` (`--mode listen`) or that of `evfwd serve` (`--mode serve`). */
export default defineConfig(({ mode }) => {
  const page = pages[mode] ?? pages.listen!;
  return {
    root: fileURLToPath(new URL(page.source, import.meta.url)),
    base: '/_evfwd/',
    // No module is fetched ahead, so nothing needs the inline script that would do it for old browsers.
    build: {
      outDir: fileURLToPath(new URL(page.built, import.meta.url)),
      emptyOutDir: false,
      modulePreload: false,
      // What is bundled asks for its license beside it.
      license: { fileName: 'licenses.md' },
      target: 'es2022',
      // The first browsers that know light-dark().
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      reportCompressedSize: false,
    },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  };
});
