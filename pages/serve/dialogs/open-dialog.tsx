import { Dialog, useAction } from '../../shared/controls/dialog.js';
import { FieldError } from '../../shared/controls/fields.js';
import { StateWord } from '../../shared/controls/status.js';
import { HelpDialog } from '../../shared/keys/help-dialog.js';
import { type Health, healthIcons, healthMeanings } from '../overview/health.js';
import { keys } from '../page/keys.js';
import { useOperations } from '../view/operations.js';
import { DeleteUserDialog } from './delete-user-dialog.js';
import { LastFailureDialog, TestDialog } from './destination-dialogs.js';
import { RedeliverDialog } from './redeliver-dialog.js';
import { ReplayDialog } from './replay-dialog.js';
import { ReplaysDialog, StopReplayDialog } from './replays-dialog.js';

/** The dialog that is open, if one is. */
export function OpenDialog() {
  const { value: dialog } = useOperations().dialog;
  switch (dialog?.name) {
    case 'help':
      return <HelpDialog keys={keys} />;
    case 'delete-user':
      return <DeleteUserDialog />;
    case 'states':
      return <StatesDialog />;
    case 'last-failure':
      return <LastFailureDialog destination={dialog.destination} />;
    case 'test':
      return <TestDialog destination={dialog.destination} />;
    case 'turn-off':
      return <TurnOffDialog destination={dialog.destination} />;
    case 'replays':
      return <ReplaysDialog />;
    case 'replay':
      return <ReplayDialog {...dialog} />;
    case 'stop-replay':
      return <StopReplayDialog id={dialog.id} />;
    case 'redeliver':
      return <RedeliverDialog deadLetters={dialog.deadLetters} />;
    case undefined:
      return null;
  }
}

/** What the states of destinations mean. */
function StatesDialog() {
  const healths = Object.entries(healthMeanings) as [Health, string][];
  return (
    <Dialog title="States of destinations">
      <dl class="states">
        {healths.map(([health, meaning]) => (
          <div key={health}>
            <dt>
              <StateWord state={health} icon={healthIcons[health]} />
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

/** Asks for confirmation before a destination is turned off: events wait for it then, or are not forwarded. */
function TurnOffDialog({ destination }: { readonly destination: string }) {
  const operations = useOperations();
  const { isRunning, error, run } = useAction(async () => {
    await operations.switchDestination(destination, false);
    operations.closeDialog();
  });
  const found = operations.overview.value?.destinations.find(({ name }) => name === destination);
  return (
    <Dialog title={`Turn ${destination} off?`}>
      {found?.configuredEnabled === false ? (
        <p>
          The configuration file disables it: events that arrive from now on are{' '}
          <b>not forwarded</b> to it, not later either. Events already waiting for it are kept until
          it is on again.
        </p>
      ) : (
        <p>
          Events that arrive while it is off <b>wait</b> and are sent when it is on again; after 7
          days they become dead letters. It stays off after a restart, until it is turned on here or
          the configuration file changes. To forward nothing to it, set <code>enabled: false</code>{' '}
          in that file.
        </p>
      )}
      <FieldError error={error} />
      <div class="dialog-actions">
        <button class="button" onClick={() => operations.closeDialog()}>
          Cancel
        </button>
        <button class="button danger" disabled={isRunning} onClick={run}>
          Turn off
        </button>
      </div>
    </Dialog>
  );
}
