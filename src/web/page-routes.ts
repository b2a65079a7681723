import type { FastifyInstance } from 'fastify';
import type { PageFile } from './page-files.js';

/** Our pages show received data, so they may load and run only their own files. */
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

/** Serves a page below `base`, or a hint when it is not built. */
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
  return `The ${name} page is not built; run npm run build. The API below /_evfwd/api is available.\n`;
}
