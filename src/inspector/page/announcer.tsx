import { useEffect, useState } from 'preact/hooks';
import { countOf } from '../text/format.js';
import { useInspector, useView } from '../view/use-view.js';

/** A live region that speaks more often than this cannot be listened to. */
const pauseMs = 10_000;

/** Says what has arrived to those who do not see the list; and at once when the connection is lost. */
export function Announcer() {
  const { log, view } = useInspector();
  const isLost = useView(({ connection }) => connection === 'lost');
  const [text, setText] = useState('');
  useEffect(() => {
    let told = log.appended;
    let timer: number | undefined;
    const tell = (): void => {
      timer = undefined;
      const came = log.appended - told;
      told = log.appended;
      if (came > 0) setText(countOf(came, 'new request'));
    };
    const stop = view.watch(() => {
      if (log.appended !== told) timer ??= window.setTimeout(tell, pauseMs);
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
      <div role="alert">
        {isLost && (
          <p class="banner">
            The connection to the receiver is lost. Trying again; is evfwd listen still running?
          </p>
        )}
      </div>
    </>
  );
}
