import type { Role } from '@berth/contract';
import { Button, CopyCode, Dialog, ErrorNote, Field, Select } from '@berth/web';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../state/console-context.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Makes the link of an invitation, and shows it this once. */
export function InviteDialog({ onClose }: { onClose(): void }) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const create = useMutation({
    mutationFn: () => client.createInvite({ role, ...(email === '' ? {} : { email }) }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['invites'] }),
  });
  if (create.data) {
    return (
      <Dialog
        title={t('people.invite.made.title')}
        description={t('people.invite.made.text')}
        isOpen
        onClose={onClose}
        canClose={false}
      >
        <CopyCode code={create.data.link} />
        <div className="mt-4 flex justify-end">
          <Button look="primary" onClick={onClose}>
            {t('people.invite.done')}
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={t('people.invite.title')} isOpen onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Field
          label={t('people.email')}
          hint={t('people.invite.emailHint')}
          type="email"
          dir="ltr"
          autoComplete="off"
          value={email}
          onChange={setEmail}
        />
        <Select<Role>
          label={t('people.role')}
          value={role}
          onChange={setRole}
          options={(['member', 'admin', 'owner'] as const).map((value) => ({
            value,
            label: t(`people.role.${value}`),
          }))}
        />
        {create.error && <ErrorNote error={create.error} />}
        <Button look="primary" type="submit" isBusy={create.isPending}>
          {t('people.invite.create')}
        </Button>
      </form>
    </Dialog>
  );
}
