import type { Role } from '@berth/contract';
import { Button, CopyCode, CopyCommand, Dialog, Field, Form, FormActions, quote, Select } from '@berth/ui';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useRights } from '../../api/use-rights.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Roles from least to most privileged; the first is the default. */
const ROLES = ['member', 'admin', 'owner'] as const satisfies readonly Role[];

/** Dialog that creates an invitation and shows its link once. */
export function InviteDialog({ onClose }: { onClose(): void }) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const { manages } = useRights();
  const request = { role, ...(email === '' ? {} : { email }) };
  const create = useMutation({
    mutationFn: () => client.post('/v1/user/invites', { body: request }),
    onSuccess: () => queries.invalidateQueries({ queryKey: QUERY_KEYS.invites }),
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
      <Form onSubmit={() => create.mutate()} error={create.error}>
        <Field
          label={t('people.email')}
          name="email"
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
          options={ROLES.filter(manages).map((value) => ({
            value,
            label: t(`people.role.${value}`),
          }))}
        />
        <FormActions>
          <CopyCommand
            cli={`npx berth members invite --role ${role}${email === '' ? '' : ` --email ${quote(email)}`}`}
            http={{ method: 'POST', path: '/v1/user/invites', body: request }}
          />
          <Button look="primary" type="submit" isBusy={create.isPending}>
            {t('people.invite.create')}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
