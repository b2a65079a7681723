import { Header as FrameHeader, HeaderButton } from '../../shared/frame/header.js';
import { useOperations } from '../view/use-view.js';

export function Header() {
  const operations = useOperations();
  return (
    <FrameHeader command="serve" url={location.origin}>
      <HeaderButton
        icon="user"
        title="Delete a user"
        onClick={() => operations.show({ name: 'delete-user' })}
      />
    </FrameHeader>
  );
}
