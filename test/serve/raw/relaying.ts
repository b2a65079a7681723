import { once } from 'node:events';
import { connect } from 'node:net';
import { createHmac } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { readRouting } from '../../../src/serve/routing-file.js';
import type { Routing } from '../../../src/serve/types.js';
import { folderWith } from '../../helpers/folder.js';

/** The routing of a configuration with one raw source, `hooks`, and one destination, `app`. */
export function relay(
  url: string,
  { source = '', destination = '', more = '' } = {},
): Promise<Routing> {
  return routingOf(`sources:
  hooks:
    type: raw
    path: /in/hooks/*
    destinations: [app]
${indented(source)}destinations:
  app:
    allowPrivateNetworks: true
    endpoints: [{ url: '${url}' }]
${indented(destination)}${more}`);
}

export async function routingOf(yaml: string): Promise<Routing> {
  const file = join(folderWith(), 'evfwd.config.yaml');
  writeFileSync(file, yaml);
  return readRouting(file, {});
}

function indented(lines: string): string {
  return lines === '' ? '' : `${lines.trim().replaceAll(/^/gm, '    ')}\n`;
}

/** Writes bytes to a server, closes this side where the last is `null`, and resolves to all that it answers. */
export async function talk(
  url: string,
  ...parts: readonly (string | Buffer | null)[]
): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  for (const part of parts) {
    if (part === null) socket.end();
    else socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
  }
  return text(socket);
}

export function githubSignature(body: string | Buffer, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}
