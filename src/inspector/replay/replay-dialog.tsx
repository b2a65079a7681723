import { useState } from 'preact/hooks';
import type { ReplayRequest } from '../api.js';
import { Dialog } from '../shared/controls/dialog.js';
import { countOf } from '../shared/text/format.js';
import { recallText, remember } from '../shared/view/memory.js';
import { useInspector, useView } from '../view/use-view.js';
import { ReplayResults } from './replay-results.js';
import { useReplay } from './use-replay.js';

/** Sends requests again: those that are selected, else the one that is open. */
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
        <label class="field">
          <span>URL</span>
          <input
            class="mono"
            type="url"
            name="url"
            required
            placeholder="http://localhost:3000/hook"
            value={url}
            aria-invalid={state.error !== undefined}
            aria-describedby={state.error === undefined ? undefined : 'replay-error'}
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        </label>
        {state.error !== undefined && (
          <p class="field-error" id="replay-error" role="alert">
            {state.error}
          </p>
        )}
        <fieldset>
          <legend>Signature</legend>
          <Choice
            value="again"
            chosen={signature}
            onChoose={setSignature}
            title="Sign again"
            text={
              hasSecret
                ? 'with the secret that evfwd listen was started with'
                : 'needs a secret: start evfwd listen with --secret-file'
            }
            disabled={!hasSecret}
          />
          <Choice
            value="captured"
            chosen={signature}
            onChoose={setSignature}
            title="As captured"
            text="headers and signature as they came"
          />
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

interface ChoiceProps {
  readonly value: ReplayRequest['signature'];
  readonly chosen: ReplayRequest['signature'];
  readonly onChoose: (value: ReplayRequest['signature']) => void;
  readonly title: string;
  readonly text: string;
  readonly disabled?: boolean;
}

function Choice({ value, chosen, onChoose, title, text, disabled = false }: ChoiceProps) {
  return (
    <label class="choice">
      <input
        type="radio"
        name="signature"
        value={value}
        checked={chosen === value}
        disabled={disabled}
        onChange={() => onChoose(value)}
      />
      <span>
        {title} <span class="quiet">{text}</span>
      </span>
    </label>
  );
}
