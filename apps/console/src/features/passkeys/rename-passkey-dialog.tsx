import type { Passkey } from '@berth/contract';
import { Button, Dialog, Field, Form, FormActions, quote } from '@berth/ui';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

interface RenamePasskeyDialogProps {
  readonly passkey: Passkey;
  onClose(): void;
}

/** Dialog that renames a passkey. */
export function RenamePasskeyDialog({ passkey: { id, name }, onClose }: RenamePasskeyDialogProps) {
  const { t } = useConsoleTexts();
  const [next, setNext] = useState(name);
  const wanted = next.trim() || name;
  const rename = useAction((client) => client.post('/v1/user/passkeys/rename', { body: { id, name: wanted } }), {
    refreshes: [QUERY_KEYS.passkeys],
    onDone: onClose,
  });
  return (
    <Dialog
      command={{
        cli: `npx berth passkeys rename ${id} ${quote(wanted)}`,
        http: { method: 'POST', path: '/v1/user/passkeys/rename', body: { id, name: wanted } },
        secret: 'session',
      }}
      title={t('passkeys.rename.title')}
      isOpen
      onClose={onClose}
    >
      <Form onSubmit={() => rename.mutate()} error={rename.error}>
        <Field
          label={t('shell.name')}
          name="name"
          required
          maxLength={100}
          autoComplete="off"
          value={next}
          onChange={setNext}
        />
        <FormActions>
          <Button look="primary" type="submit" isBusy={rename.isPending}>
            {t('account.save')}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
