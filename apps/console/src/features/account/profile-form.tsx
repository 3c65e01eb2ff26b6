import { Button, Form, FormActions, quote, useCommand } from '@berth/ui';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { PersonNameField } from '../../components/fields.tsx';
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

interface ProfileFormProps {
  readonly person: { readonly name: string; readonly email: string };
}

/** Form for the person's name and email address. */
export function ProfileForm({ person }: ProfileFormProps) {
  const { t } = useConsoleTexts();
  const [name, setName] = useState(person.name);
  const wanted = name.trim();
  const save = useAction((client) => client.post('/v1/user/profile', { body: { name: wanted } }), {
    refreshes: [QUERY_KEYS.user, QUERY_KEYS.members],
    said: () => t('account.saved'),
  });
  const guard = useUnsavedGuard(wanted === person.name ? [] : [t('shell.name')]);
  useCommand({
    label: t('account.profile'),
    cli: `npx berth profile ${quote(wanted || person.name)}`,
    http: { method: 'POST', path: '/v1/user/profile', body: { name: wanted || person.name } },
    secret: 'session',
  });
  return (
    <Form onSubmit={() => save.mutate()} error={save.error}>
      <PersonNameField value={name} onChange={setName} />
      <div className="flex flex-col gap-1">
        <span className="font-medium">{t('signIn.email')}</span>
        <bdi className="self-start break-all select-all">{person.email}</bdi>
        <span className="text-xs text-ink-soft">{t('account.emailHint')}</span>
      </div>
      <FormActions>
        <Button look="primary" type="submit" isBusy={save.isPending} disabled={wanted === '' || wanted === person.name}>
          {t('account.save')}
        </Button>
      </FormActions>
      {guard}
    </Form>
  );
}
