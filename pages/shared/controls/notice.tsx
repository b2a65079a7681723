import { useEffect } from 'preact/hooks';
import type { Notice as Shown } from '../view/list-page.js';

interface NoticeProps {
  readonly notice: Shown | undefined;
  /** Called when it has been shown for long enough. */
  readonly onRead: () => void;
}

/** Long enough to be read. */
const shownMs = 2500;

/** A short message on what was just done. */
export function Notice({ notice, onRead }: NoticeProps) {
  useEffect(() => {
    if (!notice) return undefined;
    const timer = setTimeout(onRead, shownMs);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div class="notice" role="status">
      {notice && <p key={notice.id}>{notice.text}</p>}
    </div>
  );
}
