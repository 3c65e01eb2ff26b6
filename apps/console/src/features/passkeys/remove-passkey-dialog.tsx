import type { Passkey } from '@berth/contract';
import { ConfirmDialog } from '@berth/ui';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Props of {@link RemovePasskeyDialog}. */
export interface RemovePasskeyDialogProps {
  readonly passkey: Passkey;
  readonly isBusy: boolean;
  readonly error: unknown;
  onConfirm(): void;
  onClose(): void;
}

/** Dialog that removes a passkey. */
export function RemovePasskeyDialog({ passkey: { id, name }, ...dialog }: RemovePasskeyDialogProps) {
  const { t } = useConsoleTexts();
  return (
    <ConfirmDialog
      title={t('passkeys.remove.title', { name })}
      description={t('passkeys.remove.text')}
      action={t('people.remove')}
      command={{
        cli: `npx berth passkeys rm ${id}`,
        http: { method: 'DELETE', path: `/v1/user/passkeys?id=${id}` },
        secret: 'session',
      }}
      isOpen
      {...dialog}
    />
  );
}
