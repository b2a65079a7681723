import { Command, EmptyPage } from '../../shared/frame/empty-page.js';
import { useInspector } from '../view/inspector.js';

/** What to run before the first request has arrived. */
export function Empty() {
  const { url, hasSecret } = useInspector().setup.value;
  const hook = new URL('/hook', url).href;
  const secret = hasSecret ? ' --secret-file secret.txt' : '';
  return (
    <EmptyPage title="Waiting for the first request">
      <p>
        Send a webhook to <code>{url}</code>: any method, any path. It appears here as soon as it
        arrives.
      </p>
      <Command
        title="With curl"
        command={[
          `curl ${hook} \\`,
          `  -H 'Content-Type: application/json' \\`,
          // A newline in JSON is space.
          `  -d '{"type":"track","userId":"u1",`,
          `       "event":"Signed Up"}'`,
        ].join('\n')}
      />
      <Command
        title={hasSecret ? 'With evfwd, signed' : 'With evfwd'}
        command={[
          `evfwd send track --event 'Signed Up' \\`,
          `  --user-id u1${secret} \\`,
          `  --url ${hook}`,
        ].join('\n')}
      />
      {hasSecret && (
        <p class="quiet">
          <code>secret.txt</code> must contain the secret of this receiver.
        </p>
      )}
    </EmptyPage>
  );
}
