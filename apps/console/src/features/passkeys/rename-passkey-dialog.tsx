import type { Passkey } from '@berth/contract';
import { Button, CopyCommand, Dialog, ErrorNote, Field, quote } from '@berth/ui';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

export interface RenamePasskeyDialogProps {
  readonly passkey: Passkey;
  onClose(): void;
}

export function RenamePasskeyDialog({ passkey: { id, name }, onClose }: RenamePasskeyDialogProps) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const [next, setNext] = useState(name);
  const wanted = next.trim() || name;
  const rename = useMutation({
    mutationFn: () => client.renamePasskey(id, wanted),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: QUERY_KEYS.passkeys });
      onClose();
    },
  });
  return (
    <Dialog title={t('passkeys.rename.title')} isOpen onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate();
        }}
      >
        <Field label={t('passkeys.name')} required maxLength={100} autoComplete="off" value={next} onChange={setNext} />
        {rename.error && <ErrorNote error={rename.error} />}
        <div className="flex justify-end gap-2">
          <CopyCommand
            cli={`npx berth passkeys rename ${id} ${quote(wanted)}`}
            http={{ method: 'POST', path: '/v1/user/passkeys/rename', body: { id, name: wanted } }}
            secret="session"
          />
          <Button look="primary" type="submit" isBusy={rename.isPending}>
            {t('account.save')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
