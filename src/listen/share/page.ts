import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RequestDetail, RequestRow, ResponseDetail } from '../../api/listen.js';
import { formatJson } from '../../json/format-json.js';
import { JsonTextError } from '../../json/spans.js';
import { countOf, msText } from '../../output/numbers.js';
import { documentHtml } from '../../report/page/document.js';
import { escapeHtml } from '../../report/page/escape.js';
import { version } from '../../version.js';
import { detailOf } from '../detail.js';
import type { ReceivedRequest } from '../received-request.js';
import type { Verification } from '../../receive/verification.js';
import { hidden, masked, type Masked } from './masked.js';
import { style } from './style.js';

/** More requests than this make a page that nobody reads. */
export const maxShared = 1_000;

/** A longer body is cut. */
const maxCharacters = 64 * 1024;

export interface ShareOptions {
  /** Of this receiver, without a path. */
  readonly url: string;
  readonly verification: Verification;
}

/**
 * Requests as one self-contained page without scripts, to be sent to a colleague: without secrets, and without
 * the values of headers that carry signatures and credentials. It is made piece by piece, so that the receiver goes
 * on meanwhile.
 *
 * @param chosen of which the newest `maxShared` are on the page, in the order of their arrival
 */
export async function* sharedPage(
  chosen: readonly ReceivedRequest[],
  options: ShareOptions,
): AsyncGenerator<string> {
  const all = [...chosen].sort((one, other) => one.receivedAt - other.receivedAt);
  const shown = all.slice(-maxShared);
  const title = `${countOf(shown.length, 'request')} · evfwd listen`;
  const [head, end] = documentHtml(title, style, mark).split(mark);
  yield `${head}<main>\n${introduction(shown, all.length)}\n`;
  for (const received of shown) {
    yield requestHtml(detailOf(received, options), options.verification, shown.length === 1);
    await nextTurn();
  }
  yield `</main>\n${footer}${end}`;
}

const mark = '<!-- requests -->';

const footer = `<footer><p>The values of headers that carry signatures, credentials and cookies, and the secrets of the receiver, are replaced by ${hidden}. Everything else is as it was received: look through it before you pass it on.</p>
<p>Made by evfwd ${version}.</p></footer>`;

function introduction(shown: readonly ReceivedRequest[], all: number): string {
  const times = [shown[0], shown.at(-1)].flatMap((one) => (one ? timeText(one.receivedAt) : []));
  const when = times.length === 0 ? '' : `${[...new Set(times)].join(' to ')} UTC`;
  const left = all - shown.length;
  const more = left > 0 ? ` · the newest of ${countOf(all, 'request')}` : '';
  return `<h1>evfwd listen</h1>
<p class="hero"><strong>${shown.length}</strong> <span>${shown.length === 1 ? 'request' : 'requests'} received</span></p>
<p class="when">${escapeHtml(when + more)}</p>
${countsHtml(shown)}`;
}

/** Signatures and responses, where there are several requests to sum up. */
function countsHtml(shown: readonly ReceivedRequest[]): string {
  if (shown.length < 2) return '<div class="verdicts"></div>';
  const counts = new Map<string, number>();
  for (const { signature } of shown) {
    const name = `Signature ${signature}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  for (const { response } of shown) {
    const name = response.status === null ? 'No response' : `Status ${response.status}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const items = [...counts].map(([name, count]) => `<div><dt>${name}</dt><dd>${count}</dd></div>`);
  return `<dl class="facts verdicts">${items.join('')}</dl>`;
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().slice(0, -5).replace('T', ' ');
}

function requestHtml(detail: RequestDetail, verification: Verification, isOpen: boolean): string {
  const mask = masked(detail, verification);
  const { row, headers, explanation } = detail;
  const explained =
    explanation === null
      ? ''
      : `<p class="caveat${isWrong(row) ? ' wrong' : ''}">${escapeHtml(mask.text(capitalized(explanation)))}</p>`;
  return `<details class="request"${isOpen ? ' open' : ''}>
<summary><span class="number">#${row.sequence}</span><span class="name">${nameHtml(row, mask)}</span><span class="verdict${isWrong(row) ? ' bad' : ' quiet'}">${escapeHtml(verdictText(row))}</span>${statusHtml(row.response.status)}</summary>
<div class="content"><dl>${facts(row, mask)}</dl>
${explained}
<h3>Headers</h3>${headersHtml(mask.headers(headers))}
<h3>Body</h3>${bodyHtml(detail, mask)}
${responseHtml(detail, mask)}</div>
</details>
`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function nameHtml({ type, name, method, path }: RequestRow, mask: Masked): string {
  return `<i>${escapeHtml(mask.text(type ?? method))}</i>${escapeHtml(mask.text(name ?? path))}`;
}

function isWrong({ signature }: RequestRow): boolean {
  return signature === 'invalid' || signature === 'missing';
}

function verdictText({ signature, reason }: RequestRow): string {
  const isMore = reason !== null && reason !== signature && reason !== 'mismatch';
  return `signature ${signature}${isMore ? ` (${reason})` : ''}`;
}

function statusHtml(status: number | null): string {
  const isGood = status !== null && status >= 200 && status < 300;
  return `<span class="${isGood ? '' : 'bad'}">${status ?? 'no response'}</span>`;
}

function facts(row: RequestRow, { text }: Masked): string {
  const { receivedAt, method, path, user, messageId, scheme, fault, forwarded, durationMs } = row;
  const pairs: readonly (readonly [name: string, value: string | null])[] = [
    ['Received', `${receivedAt} (${msText(durationMs)})`],
    ['Request', `${method} ${path}`],
    ['Scheme', scheme],
    ['User', user],
    ['Message', messageId],
    ['App', forwarded && `${forwarded.status ?? forwarded.error ?? ''} from ${forwarded.url}`],
    ['Fault', fault],
  ];
  return pairs
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(text(value!))}</dd>`)
    .join('');
}

function headersHtml(headers: RequestDetail['headers']): string {
  if (headers.length === 0) return '<p class="quiet">None.</p>';
  const rows = headers.map(
    ([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`,
  );
  return `<dl class="headers">${rows.join('')}</dl>`;
}

function bodyHtml({ row, body }: RequestDetail, mask: Masked): string {
  if (row.bytes === 0) return '<p class="quiet">Empty.</p>';
  if (body === null || body === '') {
    return `<p class="quiet">${countOf(row.bytes, 'byte')} that are not shown: no text, or too large.</p>`;
  }
  return textHtml(mask.text(readable(body)));
}

/** JSON with its lines, anything else as it is. */
function readable(text: string): string {
  try {
    return formatJson(text);
  } catch (error) {
    if (error instanceof JsonTextError) return text;
    throw error;
  }
}

function textHtml(text: string): string {
  const isCut = text.length > maxCharacters;
  const lines = (isCut ? text.slice(0, maxCharacters) : text).split('\n');
  const note = isCut ? `<p class="note">The first ${countOf(maxCharacters, 'character')}.</p>` : '';
  return `<pre tabindex="0">${lines.map(escapeHtml).join('\n')}</pre>${note}`;
}

function responseHtml({ row, response, ownResponse }: RequestDetail, mask: Masked): string {
  const title = ownResponse === null || row.forwarded?.status == null ? '' : ' of the app';
  return `<h3>Response${title}</h3>${contentHtml(response, mask)}`;
}

function contentHtml({ headers, body, note }: ResponseDetail, mask: Masked): string {
  return [
    note === null ? '' : `<p>${escapeHtml(mask.text(note))}</p>`,
    headers.length === 0 ? '' : headersHtml(mask.headers(headers)),
    body === '' ? '' : textHtml(mask.text(readable(body))),
  ].join('');
}
