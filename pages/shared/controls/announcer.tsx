import { useEffect, useState } from 'preact/hooks';
import { countOf } from '../text/format.js';
import { usePage } from '../view/page.js';

interface AnnouncerProps {
  /** The number of rows received so far. */
  readonly arrived: () => number;
  /** A row, in the singular. */
  readonly noun: string;
  /** The message about a lost connection; undefined while it is open. */
  readonly lost: string | undefined;
}

/** A live region that speaks more often than this cannot be listened to. */
const pauseMs = 10_000;

/** Says what has arrived to those who do not see the list; and at once when the connection is lost. */
export function Announcer({ arrived, noun, lost }: AnnouncerProps) {
  const { version } = usePage();
  const [text, setText] = useState('');
  useEffect(() => {
    let announced = arrived();
    let timer: number | undefined;
    const announce = (): void => {
      timer = undefined;
      const added = arrived() - announced;
      announced = arrived();
      if (added > 0) setText(countOf(added, `new ${noun}`));
    };
    const stop = version.subscribe(() => {
      if (arrived() !== announced) timer ??= window.setTimeout(announce, pauseMs);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
  return (
    <>
      <p class="sr-only" aria-live="polite">
        {text}
      </p>
      <div role="alert">{lost !== undefined && <p class="banner">{lost}</p>}</div>
    </>
  );
}
