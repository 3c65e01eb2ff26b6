import type { Role } from '@berth/contract';
import { Button, Dialog, Field, Form, FormActions, quote, Select } from '@berth/ui';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useRights } from '../../api/use-rights.ts';
import { ShowOnceDialog } from '../../components/show-once-dialog.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Roles from least to most privileged; the first is the default. */
const ROLES = ['member', 'admin', 'owner'] as const satisfies readonly Role[];

/** Dialog that creates an invitation and shows its link once. */
export function InviteDialog({ onClose }: { onClose(): void }) {
  const { t } = useConsoleTexts();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const { manages } = useRights();
  const request = { role, ...(email === '' ? {} : { email }) };
  const create = useAction((client) => client.post('/v1/user/invites', { body: request }), {
    refreshes: [QUERY_KEYS.invites],
  });
  if (create.data) {
    const { is_mailed: isMailed, link } = create.data;
    return (
      <ShowOnceDialog
        title={t(isMailed ? 'people.invite.mailed.title' : 'people.invite.made.title')}
        text={isMailed ? t('people.invite.mailed.text', { email }) : t('people.invite.made.text')}
        code={link}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog
      command={{
        cli: `npx berth members invite --role ${role}${email === '' ? '' : ` --email ${quote(email)}`}`,
        http: { method: 'POST', path: '/v1/user/invites', body: request },
      }}
      title={t('people.invite.title')}
      isOpen
      onClose={onClose}
    >
      <Form onSubmit={() => create.mutate()} error={create.error}>
        <Field
          label={t('signIn.email')}
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
          options={ROLES.filter(manages).map((value) => ({ value, label: t(`people.role.${value}`) }))}
        />
        <FormActions>
          <Button look="primary" type="submit" isBusy={create.isPending}>
            {t('people.invite.create')}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
