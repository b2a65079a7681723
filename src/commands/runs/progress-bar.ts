/** The two characters of a bar. */
export interface BarStyle {
  readonly full: string;
  readonly empty: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Blocks, unless the terminal or the locale says that it has only ASCII. */
export function barStyle(env: Environment): BarStyle {
  return hasBlocks(env) ? { full: '█', empty: '░' } : { full: '#', empty: '.' };
}

/** The variables of a locale are used in this order; where none is set, nothing speaks against UTF-8. */
function hasBlocks({ TERM, LC_ALL, LC_CTYPE, LANG }: Environment): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG || 'UTF-8';
  return TERM !== 'dumb' && /utf-?8/i.test(locale);
}

/** The parts of a bar of `width` characters; only all is full, and only nothing is empty. */
export function progressBar(
  share: number,
  width: number,
  { full, empty }: BarStyle,
): { readonly done: string; readonly left: string } {
  const least = share > 0 ? 1 : 0;
  const most = share < 1 ? width - 1 : width;
  const length = Math.min(most, Math.max(least, Math.floor(share * width)));
  return { done: full.repeat(length), left: empty.repeat(width - length) };
}
