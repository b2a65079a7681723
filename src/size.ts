const sizeForm = /^(\d{1,15}(?:\.\d{1,15})?)(B|KB|MB|GB)$/;

const unitBytes: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1024,
  MB: 1024 ** 2,
  GB: 1024 ** 3,
};

/** The form of a size, for messages. */
export const sizeHint = 'use a unit, e.g. 512B, 500KB, 2MB or 10GB';

/**
 * `500KB`, `1.5MB` → whole bytes, a KB being 1,024; anything else is `undefined`. A bare number is not valid: its
 * unit is unknown.
 */
export function sizeInBytes(text: string): number | undefined {
  const [, number, unit = ''] = sizeForm.exec(text) ?? [];
  const bytes = Math.floor(Number(number) * unitBytes[unit]!);
  return bytes <= Number.MAX_SAFE_INTEGER ? bytes : undefined;
}

const carelessForm = /^(\d{1,15}(?:\.\d{1,15})?) ?([kmg]?)b?$/i;

/** What to write for a text that is no size: the size that is likely meant, as with `500kb`, else the form. */
export function sizeAdvice(text: string): string {
  const [, number, unit = ''] = carelessForm.exec(text) ?? [];
  const isBare = number === undefined || /\d$/.test(text);
  return isBare ? sizeHint : `write ${number}${unit.toUpperCase()}B: units are B, KB, MB and GB`;
}
