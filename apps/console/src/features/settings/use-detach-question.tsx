import { ConfirmDialog } from '@berth/ui';
import { type ReactNode, useState } from 'react';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import type { MountDraft } from './settings-draft.ts';

/** The question before a deploy that detaches volumes. */
export interface DetachQuestion {
  /** Deploys, at once where nothing is detached, else after a yes. */
  ask(): void;
  /** Shown while the question is open. */
  readonly dialog: ReactNode;
}

/** Asks before `deploy` where volumes are `detached` by it. */
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
