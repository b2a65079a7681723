import { isUtf8 } from 'node:buffer';
import {
  eventTypes,
  type Event,
  type EventType,
  type Origin,
  type Problem,
} from '../events/event.js';
import { lineTooLong } from '../events/rules.js';
import { parseObject, Refusal, trim } from '../events/parse.js';
import { findMember, scanMembers, valueText } from '../json/members.js';
import type { SingleItemKind } from '../ledger/item-kind.js';
import { CaptureItem } from './capture-item.js';
import { recordedRequest } from './recorded-request.js';
import { requestId } from './request-id.js';

/**
 * Reads the lines of capture files: captures, and dead letters that carry one. The lines `ready` and
 * `summary` of `listen --json` become items without a request.
 *
 * @param idHeaders as in `requestId`
 */
export function captureItems(idHeaders: readonly string[]): SingleItemKind {
  const parseText = (text: Buffer, origin: Origin): Event | Problem => {
    const value = parseObject(text, isUtf8(text));
    if (value instanceof Refusal) return problem(text, origin, value.violation, value.isJson);
    return itemOf(text, value, origin, idHeaders);
  };
  return {
    deadLetterMember: 'request',
    parseLine: (bytes, origin) => {
      const text = trim(bytes);
      const value = parseObject(text, isUtf8(text));
      if (value instanceof Refusal) return problem(text, origin, value.violation, value.isJson);
      if (value.type !== 'dead-letter') return itemOf(text, value, origin, idHeaders);
      const inner = insideDeadLetter(text, value);
      if (inner === undefined) return notACapture(text, origin, deadLetterOfImport);
      return Buffer.isBuffer(inner)
        ? parseText(trim(inner), origin)
        : problem(Buffer.from(inner.beginning), origin, beginningOnly, false);
    },
    parseText,
    withNotes: (item) => item,
  };
}

type Value = Readonly<Record<string, unknown>>;

function itemOf(
  text: Buffer,
  value: Value,
  origin: Origin,
  idHeaders: readonly string[],
): Event | Problem {
  if (value.type === 'ready' || value.type === 'summary') {
    return new CaptureItem(text, origin, undefined);
  }
  if (value.type !== 'request') return notACapture(text, origin, whyNoRequest(value));
  const request = recordedRequest(value);
  if (typeof request === 'string') return notACapture(text, origin, request);
  return new CaptureItem(text, origin, requestId(request, idHeaders), request);
}

function whyNoRequest({ type, batch }: Value): string {
  const isEvent = eventTypes.includes(type as EventType) || Array.isArray(batch);
  return isEvent ? 'it is an event; send it with evfwd import' : 'its type is not "request"';
}

/** The text that a dead letter carries; of a line that was too long, only its beginning is there. */
function insideDeadLetter(text: Buffer, value: Value): Buffer | { beginning: string } | undefined {
  const member = findMember(scanMembers(text).members, 'request');
  if (member) return valueText(text, member);
  const { raw, rawBase64, code } = value;
  if (typeof raw === 'string') {
    return code === lineTooLong ? { beginning: raw } : Buffer.from(raw, 'utf8');
  }
  return typeof rawBase64 === 'string' ? Buffer.from(rawBase64, 'base64') : undefined;
}

const deadLetterOfImport = 'it is a dead letter with an event; send it with evfwd import';

const beginningOnly = {
  code: lineTooLong,
  message: 'the dead letter has only the beginning of a line that was too long',
};

function notACapture(text: Buffer, origin: Origin, why: string): Problem {
  const message = `the line is not a recorded request: ${why}`;
  return problem(text, origin, { code: 'not_a_capture', message }, true);
}

function problem(
  bytes: Buffer,
  origin: Origin,
  { code, message }: { readonly code: string; readonly message: string },
  isJson: boolean,
): Problem {
  return { code, message, origin, bytes, isJson };
}
