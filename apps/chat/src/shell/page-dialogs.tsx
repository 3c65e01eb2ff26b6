import { lazy, Suspense } from 'react';
import { keepPlainKeys } from '../features/keys/page-keys.ts';
import { ShareDialog } from '../features/share/share-dialog.tsx';
import type { PageActions, PageDialog } from '../page/page-actions.ts';

// Not part of the first load.
const ConnectorsDialog = lazy(() =>
  import('../features/connectors/connectors-dialog.tsx').then(({ ConnectorsDialog }) => ({
    default: ConnectorsDialog,
  })),
);
const ToolsDialog = lazy(() =>
  import('../features/tools/tools-dialog.tsx').then(({ ToolsDialog }) => ({ default: ToolsDialog })),
);
const AgentsDialog = lazy(() =>
  import('../features/agents/agents-dialog.tsx').then(({ AgentsDialog }) => ({ default: AgentsDialog })),
);
const KeysDialog = lazy(() =>
  import('../features/keys/keys-dialog.tsx').then(({ KeysDialog }) => ({ default: KeysDialog })),
);
const ChatPalette = lazy(() =>
  import('../features/palette/chat-palette.tsx').then(({ ChatPalette }) => ({ default: ChatPalette })),
);

export interface PageDialogsProps {
  readonly dialog: PageDialog | undefined;
  readonly chatId: string | undefined;
  readonly actions: PageActions;
  readonly arePlainKeysOn: boolean;
  onPlainKeys(areOn: boolean): void;
  onClose(): void;
}

/** Renders the dialog that is open. Its code is loaded on first use. */
export function PageDialogs({ dialog, chatId, actions, arePlainKeysOn, onPlainKeys, onClose }: PageDialogsProps) {
  const choose = (areOn: boolean) => {
    keepPlainKeys(areOn, localStorage);
    onPlainKeys(areOn);
  };
  return (
    <Suspense>
      {dialog === 'share' && chatId !== undefined && <ShareDialog chatId={chatId} onClose={onClose} />}
      {dialog === 'connectors' && <ConnectorsDialog onClose={onClose} />}
      {dialog === 'tools' && <ToolsDialog onClose={onClose} />}
      {dialog === 'agents' && <AgentsDialog onClose={onClose} />}
      {dialog === 'keys' && <KeysDialog {...{ arePlainKeysOn, onClose }} onPlainKeys={choose} />}
      {dialog === 'palette' && <ChatPalette {...{ actions, onClose }} />}
    </Suspense>
  );
}
