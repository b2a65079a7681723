import { useEffect, useState } from 'preact/hooks';

const query = '(prefers-color-scheme: dark)';

/** Whether the reader's system is dark; a canvas has to be drawn again when it changes. */
export function useScheme(): boolean {
  const [isDark, setDark] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const change = (): void => setDark(list.matches);
    list.addEventListener('change', change);
    return () => list.removeEventListener('change', change);
  }, []);
  return isDark;
}
