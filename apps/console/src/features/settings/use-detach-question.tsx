import { ConfirmDialog } from '@berth/ui';
import { type ReactNode, useState } from 'react';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import type { MountDraft } from './settings-draft.ts';

/** Confirmation before a deploy that detaches volumes. */
export interface DetachQuestion {
  /** Deploys at once if no volume is detached, otherwise after confirmation. */
  ask(): void;
  /** Confirmation dialog; rendered while it is open. */
  readonly dialog: ReactNode;
}

/** Asks for confirmation before `deploy` if it detaches volumes. */
export function useDetachQuestion(detached: readonly MountDraft[], deploy: () => void): DetachQuestion {
  const { t } = useConsoleTexts();
  const [isOpen, setOpen] = useState(false);
  const volumes = detached.map(({ path, volume }) => t('deploy.detach.volume', { path, volume })).join(', ');
  return {
    ask: () => (detached.length === 0 ? deploy() : setOpen(true)),
    dialog: (
      <ConfirmDialog
        title={t('deploy.detach.title')}
        description={t('deploy.detach.text', { volumes })}
        action={t('deploy.detach.action')}
        isOpen={isOpen}
        onConfirm={() => {
          setOpen(false);
          deploy();
        }}
        onClose={() => setOpen(false)}
      />
    ),
  };
}
