import { useEffect, useState } from 'preact/hooks';
import { countOf } from '../text/format.js';

interface AnnouncerProps {
  /** How many have ever come. */
  readonly arrived: () => number;
  /** Calls back when more may have come; returns what ends it. */
  readonly watch: (watcher: () => void) => () => void;
  /** One of what comes. */
  readonly noun: string;
  /** What to say when the connection is lost; undefined while it stands. */
  readonly lost: string | undefined;
}

/** A live region that speaks more often than this cannot be listened to. */
const pauseMs = 10_000;

/** Says what has arrived to those who do not see the list; and at once when the connection is lost. */
export function Announcer({ arrived, watch, noun, lost }: AnnouncerProps) {
  const [text, setText] = useState('');
  useEffect(() => {
    let told = arrived();
    let timer: number | undefined;
    const tell = (): void => {
      timer = undefined;
      const came = arrived() - told;
      told = arrived();
      if (came > 0) setText(countOf(came, `new ${noun}`));
    };
    const stop = watch(() => {
      if (arrived() !== told) timer ??= window.setTimeout(tell, pauseMs);
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
