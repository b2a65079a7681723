/** Between the name of an archive and that of an entry, as in URLs of Java archives. */
export const entrySeparator = '!/';

/** The archive and the entry that the name of an input stands for. */
export function splitEntry(name: string): { readonly file: string; readonly entry?: string } {
  const at = name.indexOf(entrySeparator);
  if (at === -1) return { file: name };
  return { file: name.slice(0, at), entry: name.slice(at + entrySeparator.length) };
}
