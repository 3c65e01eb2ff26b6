import { lazy, Suspense } from 'react';
import { keepPlainKeys } from '../features/keys/page-keys.ts';
import { ShareDialog } from '../features/share/share-dialog.tsx';
import type { PageActions, PageDialog } from '../page/page-actions.ts';

// Not part of the first load.
const ConnectorsDialog = lazy(async () => ({
  default: (await import('../features/connectors/connectors-dialog.tsx')).ConnectorsDialog,
}));
const ApprovalsDialog = lazy(async () => ({
  default: (await import('../features/approvals/approvals-dialog.tsx')).ApprovalsDialog,
}));
const ToolsDialog = lazy(async () => ({ default: (await import('../features/tools/tools-dialog.tsx')).ToolsDialog }));
const MemoryDialog = lazy(async () => ({
  default: (await import('../features/memory/memory-dialog.tsx')).MemoryDialog,
}));
const AgentsDialog = lazy(async () => ({
  default: (await import('../features/agents/agents-dialog.tsx')).AgentsDialog,
}));
const KeysDialog = lazy(async () => ({ default: (await import('../features/keys/keys-dialog.tsx')).KeysDialog }));
const ChatPalette = lazy(async () => ({ default: (await import('../features/palette/chat-palette.tsx')).ChatPalette }));

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
      {dialog === 'approvals' && <ApprovalsDialog onClose={onClose} />}
      {dialog === 'tools' && <ToolsDialog onClose={onClose} />}
      {dialog === 'memory' && <MemoryDialog onClose={onClose} />}
      {dialog === 'agents' && <AgentsDialog onClose={onClose} />}
      {dialog === 'keys' && <KeysDialog {...{ arePlainKeysOn, onClose }} onPlainKeys={choose} />}
      {dialog === 'palette' && <ChatPalette {...{ actions, onClose }} />}
    </Suspense>
  );
}
