/** What an id in a path, or as the name of a member, is replaced by. */
export const anyId = '{id}';

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const hex = /^(?=.*\d)[0-9a-f]{8,}$/i;
const digits = /^\d+$/;
/** `evt_12`, `order-7`: an id in a path. The name of a member (`line_1`) is one only if it has many digits. */
const counted = /^[a-z]+[_-]\d+$/i;
const countedLong = /^[a-z]+[_-]\d{5,}$/i;
/** What stands before a random part: `cus_`, `whsec_`. */
const prefix = /^[a-z]{1,20}[_-]/;
/** Longer texts are no names. */
const maxIdLength = 100;

/** Names that are no ids, as most are: of letters alone. */
const letters = /^[A-Za-z]{1,24}$/;

/** Whether the name of a member is generated, as in an object that maps ids to values. */
export function isIdName(name: string): boolean {
  if (letters.test(name)) return false;
  return digits.test(name) || countedLong.test(name) || isRandom(name);
}

/** The path of a group: without its query, each segment that is an id replaced. */
export function pathWithoutIds(path: string): string {
  return path
    .replace(/[?#].*/s, '')
    .split('/')
    .map((segment) => (isIdSegment(segment) ? anyId : segment))
    .join('/');
}

function isIdSegment(segment: string): boolean {
  return digits.test(segment) || counted.test(segment) || isRandom(segment);
}

function isRandom(text: string): boolean {
  if (text.length > maxIdLength) return true;
  const rest = text.replace(prefix, '');
  if ([text, rest].some((part) => uuid.test(part) || hex.test(part))) return true;
  return rest === text ? isMixed(text, 10, 20) : isMixed(rest, 6, 10);
}

/**
 * Whether letters and digits alternate as they do in no word: `a8f3k2x`, but not `street2` or `base64Url`.
 *
 * @param least characters where they alternate three times
 * @param long where it is enough that there are letters of both cases, with digits or many capitals: `NffrFeUfNV2Hib`
 */
function isMixed(text: string, least: number, long: number): boolean {
  if (text.length < least || !/^[A-Za-z0-9_-]+$/.test(text)) return false;
  const runs = text.split(/(?<=\d)(?=[A-Za-z])|(?<=[A-Za-z])(?=\d)/).length;
  if (runs > 3) return true;
  const hasBothCases = /[a-z]/.test(text) && /[A-Z]/.test(text);
  return text.length >= long && hasBothCases && (runs > 1 || hasShortWords(text));
}

/** Whether capitals are closer than in the words of a name: `gAoJgBqSxw`, but not `getUserById`. */
function hasShortWords(text: string): boolean {
  return text.split(/(?=[A-Z])/).length > text.length / 2.5;
}
