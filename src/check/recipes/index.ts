import { accept } from './accept.js';
import { badBody } from './bad-body.js';
import { connection } from './connection.js';
import { errors } from './errors.js';
import { fresh } from './fresh.js';
import { handshakeCloudevents } from './handshake-cloudevents.js';
import { handshakeMeta } from './handshake-meta.js';
import { handshakeZoom } from './handshake-zoom.js';
import { handshake } from './handshake.js';
import { httpsOnly } from './https-only.js';
import { https } from './https.js';
import { limit } from './limit.js';
import { methods } from './methods.js';
import { order } from './order.js';
import { quick } from './quick.js';
import { rawBody } from './raw-body.js';
import type { Recipe, RecipeName } from './recipe.js';
import { redirect } from './redirect.js';
import { repeat } from './repeat.js';
import { rotate } from './rotate.js';
import { size } from './size.js';
import { tolerate } from './tolerate.js';
import { verify } from './verify.js';

export const recipes: Readonly<Record<RecipeName, Recipe>> = {
  accept,
  redirect,
  tolerate,
  verify,
  'raw-body': rawBody,
  rotate,
  fresh,
  quick,
  repeat,
  order,
  'bad-body': badBody,
  size,
  methods,
  connection,
  https,
  'https-only': httpsOnly,
  errors,
  limit,
  handshake,
  'handshake-zoom': handshakeZoom,
  'handshake-meta': handshakeMeta,
  'handshake-cloudevents': handshakeCloudevents,
};
