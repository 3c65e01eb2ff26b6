import type { Passkey } from '@berth/contract';
import { Button, CopyCommand, Dialog, Field, Form, FormActions, quote } from '@berth/ui';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Props of {@link RenamePasskeyDialog}. */
export interface RenamePasskeyDialogProps {
  readonly passkey: Passkey;
  onClose(): void;
}

/** Dialog that renames a passkey. */
export function RenamePasskeyDialog({ passkey: { id, name }, onClose }: RenamePasskeyDialogProps) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const [next, setNext] = useState(name);
  const wanted = next.trim() || name;
  const rename = useMutation({
    mutationFn: () => client.post('/v1/user/passkeys/rename', { body: { id, name: wanted } }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: QUERY_KEYS.passkeys });
      onClose();
    },
  });
  return (
    <Dialog title={t('passkeys.rename.title')} isOpen onClose={onClose}>
      <Form onSubmit={() => rename.mutate()} error={rename.error}>
        <Field
          label={t('passkeys.name')}
          name="name"
          required
          maxLength={100}
          autoComplete="off"
          value={next}
          onChange={setNext}
        />
        <FormActions>
          <CopyCommand
            cli={`npx berth passkeys rename ${id} ${quote(wanted)}`}
            http={{ method: 'POST', path: '/v1/user/passkeys/rename', body: { id, name: wanted } }}
            secret="session"
          />
          <Button look="primary" type="submit" isBusy={rename.isPending}>
            {t('account.save')}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
