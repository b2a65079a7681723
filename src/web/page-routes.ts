import type { FastifyInstance } from 'fastify';
import type { PageFile } from './page-files.js';

/** Received data is shown on our pages, so nothing but their own files may run or be loaded. */
export const secureHeaders: readonly (readonly [string, string])[] = [
  [
    'Content-Security-Policy',
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cache-Control', 'no-store'],
];

/** Serves the page of this name below `base`, and a word about it where it is not built. */
export function addPage(
  app: FastifyInstance,
  base: string,
  name: string,
  files: ReadonlyMap<string, PageFile> | undefined,
): void {
  if (!files) {
    app.get(`${base}/`, (_request, reply) =>
      reply.code(404).type('text/plain; charset=utf-8').send(notBuilt(name)),
    );
    return;
  }
  for (const [path, { type, bytes }] of files) {
    app.get(`${base}/${path.replaceAll(':', '::')}`, (_request, reply) =>
      reply.type(type).send(bytes),
    );
  }
}

function notBuilt(name: string): string {
  return `The ${name} page is not built; run npm run build. The API below /_evfwd/api is there.\n`;
}
