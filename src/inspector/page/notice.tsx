import { useEffect } from 'preact/hooks';
import { useInspector, useView } from '../view/use-view.js';

/** Long enough to be read. */
const shownMs = 2500;

/** A short word on what was just done. */
export function Notice() {
  const { view } = useInspector();
  const notice = useView(({ notice: shown }) => shown);
  useEffect(() => {
    if (!notice) return undefined;
    const timer = setTimeout(() => view.set({ notice: undefined }), shownMs);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div class="notice" role="status">
      {notice && <p key={notice.id}>{notice.text}</p>}
    </div>
  );
}
