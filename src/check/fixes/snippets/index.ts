import { connection } from './connection.js';
import { errors } from './errors.js';
import { handshakeCloudevents } from './handshake-cloudevents.js';
import { handshakeMeta } from './handshake-meta.js';
import { httpsOnly } from './https-only.js';
import { https } from './https.js';
import { limit } from './limit.js';
import { methods } from './methods.js';
import type { Snippet, SnippetName } from './snippet.js';
import { redirect } from './redirect.js';

export const snippets: Readonly<Record<SnippetName, Snippet>> = {
  redirect,
  methods,
  connection,
  https,
  'https-only': httpsOnly,
  errors,
  limit,
  'handshake-meta': handshakeMeta,
  'handshake-cloudevents': handshakeCloudevents,
};
