import { useState } from 'preact/hooks';
import type { ReplayRequest } from '../../../src/api/listen.js';
import { Choice } from '../../shared/controls/choice.js';
import { Dialog } from '../../shared/controls/dialog.js';
import { TextField } from '../../shared/controls/text-field.js';
import { countOf } from '../../shared/text/format.js';
import { recallText, remember } from '../../shared/view/memory.js';
import { useInspector, useView } from '../view/use-view.js';
import { ReplayResults } from './replay-results.js';
import { useReplay } from './use-replay.js';

/** Replays the selected requests, or else the open one. */
export function ReplayDialog() {
  const inspector = useInspector();
  const { selected, opened, setup } = inspector.view.value;
  const [rows] = useState(() =>
    selected.size > 0 ? [...selected.values()] : opened ? [opened] : [],
  );
  const hasSecret = useView((view) => view.setup.hasSecret);
  const [url, setUrl] = useState(() => recallText('replayUrl'));
  const [signature, setSignature] = useState<ReplayRequest['signature']>(
    setup.hasSecret ? 'again' : 'captured',
  );
  const { state, start, stop } = useReplay();
  const submit = (event: Event): void => {
    event.preventDefault();
    remember('replayUrl', url);
    start(rows, url, signature);
  };
  return (
    <Dialog title={`Replay ${countOf(rows.length, 'request')}`}>
      <form onSubmit={submit}>
        <TextField
          label="URL"
          class="mono"
          type="url"
          name="url"
          autocomplete="on"
          placeholder="http://localhost:3000/hook"
          value={url}
          error={state.error}
          onText={setUrl}
        />
        <fieldset>
          <legend>Signature</legend>
          {signatures.map(({ value, title, text }) => (
            <Choice
              key={value}
              type="radio"
              name="signature"
              value={value}
              checked={signature === value}
              disabled={value === 'again' && !hasSecret}
              onChange={() => setSignature(value)}
            >
              {title} <span class="quiet">{text(hasSecret)}</span>
            </Choice>
          ))}
        </fieldset>
        <div class="dialog-actions">
          {state.isRunning ? (
            <button key="stop" type="button" class="button" onClick={stop}>
              Stop
            </button>
          ) : (
            <button key="send" class="button primary" disabled={rows.length === 0}>
              Send
            </button>
          )}
        </div>
      </form>
      <ReplayResults rows={rows} state={state} />
    </Dialog>
  );
}

const signatures = [
  {
    value: 'again',
    title: 'Sign again',
    text: (hasSecret: boolean) =>
      hasSecret
        ? 'with the secret of evfwd listen'
        : 'requires a secret: start evfwd listen with --secret-file',
  },
  {
    value: 'captured',
    title: 'As captured',
    text: () => 'with the received headers and signature',
  },
] as const;
