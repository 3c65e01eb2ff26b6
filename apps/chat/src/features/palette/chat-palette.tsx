import { CommandPalette } from '@berth/ui';
import { useMemo } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import type { PageActions } from '../../page/page-actions.ts';
import { schedule } from '../../store/schedule.ts';
import { useStore } from '../../store/use-store.ts';
import { createLookUp } from './look-up.ts';
import { useActionItems } from './use-action-items.ts';
import { useFoundItems } from './use-found-items.ts';

export interface ChatPaletteProps {
  readonly actions: PageActions;
  onClose(): void;
}

/** The command palette: finds actions, chats and files by name. */
export function ChatPalette({ actions, onClose }: ChatPaletteProps) {
  const { api, config } = useAgent();
  const lookUp = useMemo(() => createLookUp(api, schedule), [api]);
  const found = useFoundItems(useStore(lookUp.state), actions);
  const { work, look } = useActionItems(actions);
  const items = [...work, ...found, ...look];
  return (
    <CommandPalette
      isOpen
      onOpenChange={(isOpen) => isOpen || onClose()}
      onQuery={config.auth ? lookUp.search : () => undefined}
      // The palette returns the focus when it closes; an action that moves the focus must run after that.
      items={items.map((item) => ({ ...item, onChoose: () => setTimeout(item.onChoose) }))}
    />
  );
}
