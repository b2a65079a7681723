import { STATUS_CODES } from 'node:http';

/** `401 Unauthorized`, `timed out`, `missing userId`: the code of a failure in words. */
export function reasonText(code: string): string {
  const status = statusOf(code);
  if (status === undefined) return texts[code] ?? code.replaceAll('_', ' ');
  const name = STATUS_CODES[status];
  return name === undefined ? `HTTP ${status}` : `${status} ${name}`;
}

/** The same in fewer words: `HTTP 401`. */
export function shortReason(code: string): string {
  const status = statusOf(code);
  return status === undefined ? reasonText(code) : `HTTP ${status}`;
}

function statusOf(code: string): number | undefined {
  const digits = /^status_(\d+)$/.exec(code)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Where the code with spaces would not say enough. */
const texts: Readonly<Record<string, string>> = {
  timeout: 'timed out',
  refused: 'connection refused',
  reset: 'connection closed before a response',
  dns: 'host name not found',
  protocol: 'the response is not HTTP',
  tls: 'certificate not trusted',
  gone: 'URL gone (410 earlier in this run)',
  behind: 'URL too far behind',
  private_address: 'private address refused',
  proxy_refused: 'refused by the proxy',
  proxy_auth: 'the proxy requires a password',
  proxy_timeout: 'timed out at the proxy',
  proxy_status: 'not connected by the proxy',
  missing_user: 'missing userId',
  missing_user_id: 'missing userId',
  missing_previous_id: 'missing previousId',
  missing_group_id: 'missing groupId',
  missing_event: 'missing event name',
  event_not_text: 'event name is not text',
  message_id_too_long: 'messageId too long',
  not_json: 'not JSON',
  not_utf8: 'not UTF-8',
  repeated_member: 'duplicated member',
  batch_capture: 'capture of a batch',
  delete_not_collected: 'delete event for a collector',
};
