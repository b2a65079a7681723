import { Icon } from '../../shared/controls/icon.js';
import { Menu, type MenuItem } from '../../shared/controls/menu.js';
import { Header as FrameHeader } from '../../shared/frame/header.js';
import { useOperations } from '../view/operations.js';

export function Header() {
  const operations = useOperations();
  const replays: MenuItem = {
    icon: 'replay',
    title: 'Replays of kept events',
    act: () => operations.show({ name: 'replays' }),
  };
  const items: MenuItem[] = [
    {
      icon: 'help',
      title: 'States of destinations',
      act: () => operations.show({ name: 'states' }),
    },
    {
      icon: 'chart',
      title: 'Prometheus metrics',
      act: () => window.open('/_evfwd/metrics', '_blank', 'noopener'),
    },
    ...(operations.overview.value?.kept ? [replays] : []),
    {
      icon: 'trash',
      title: 'Delete a user',
      act: () => operations.show({ name: 'delete-user' }),
    },
  ];
  if (operations.setup.needsToken) {
    items.push({ icon: 'user', title: 'Sign out', act: () => operations.signOut() });
  }
  return (
    <FrameHeader command="serve" url={location.origin}>
      <Menu title="More actions" items={items}>
        <Icon name="more" />
      </Menu>
    </FrameHeader>
  );
}
