import type { IncomingMessage } from 'node:http';
import { hasSeveralHosts } from '../../web/host-headers.js';
import { Refusal } from './refusal.js';

const noHost = new Refusal(400, 'bad_request', 'the Host header is missing');
const severalHosts = new Refusal(400, 'bad_request', 'there is more than one Host header');

/** @throws Refusal without a Host header, which HTTP/1.1 requires, and with several */
export function checkHost(request: IncomingMessage): void {
  if (hasSeveralHosts(request)) throw severalHosts;
  if (request.headers.host === undefined && request.httpVersion === '1.1') throw noHost;
}
