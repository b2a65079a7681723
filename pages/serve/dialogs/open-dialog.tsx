import { HelpDialog } from '../../shared/keys/help-dialog.js';
import { keys } from '../page/keys.js';
import { useOperations } from '../view/operations.js';
import { DeleteUserDialog } from './delete-user-dialog.js';
import { LastFailureDialog } from './last-failure-dialog.js';
import { RedeliverDialog } from './redeliver-dialog.js';
import { StatesDialog } from './states-dialog.js';
import { TestDialog } from './test-dialog.js';
import { TurnOffDialog } from './turn-off-dialog.js';

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
    case 'redeliver':
      return <RedeliverDialog deadLetters={dialog.deadLetters} />;
    case undefined:
      return null;
  }
}
