const form = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Whether a text is a number as JSON writes it. */
export function isDecimal(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
}

/**
 * Compares two numbers by all their digits, of any length: below zero, zero or above.
 * Both must be `isDecimal`.
 */
export function compareDecimals(left: string, right: string): number {
  const a = partsOf(left);
  const b = partsOf(right);
  if (a.sign !== b.sign) return a.sign - b.sign;
  const order = a.magnitude - b.magnitude || compareTexts(a.digits, b.digits);
  return order * a.sign;
}

interface Parts {
  /** -1, 0 or 1. */
  readonly sign: number;
  /** The power of ten of the first digit. */
  readonly magnitude: number;
  /** From the first to the last that is not 0. */
  readonly digits: string;
}

function partsOf(text: string): Parts {
  const [, minus, whole = '', fraction = '', exponent = '0'] = form.exec(text)!;
  const all = whole + fraction;
  const digits = all.replace(/^0+/, '');
  const leading = all.length - digits.length;
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return { sign: 0, magnitude: 0, digits: '' };
  return {
    sign: minus === '-' ? -1 : 1,
    magnitude: whole.length - leading + Number(exponent),
    digits: kept,
  };
}

/** As fractions with the same first power: a digit that is missing counts as 0. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
