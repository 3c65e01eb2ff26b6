import { Button, Form, FormActions, quote, useCommand } from '@berth/ui';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { PersonNameField } from '../../components/fields.tsx';
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { useSignInWays } from '../sign-in/use-sign-in-ways.ts';
import { ChangeEmailDialog } from './change-email-dialog.tsx';

interface ProfileFormProps {
  readonly person: { readonly name: string; readonly email: string };
}

/** Form for the person's name and email address. */
export function ProfileForm({ person }: ProfileFormProps) {
  const { t } = useConsoleTexts();
  const [name, setName] = useState(person.name);
  const [isChanging, setChanging] = useState(false);
  const sendsEmail = (useSignInWays().data ?? []).some(({ sends_email }) => sends_email);
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
    <>
      <Form onSubmit={() => save.mutate()} error={save.error}>
        <PersonNameField value={name} onChange={setName} />
        <div className="flex flex-col gap-1">
          <span className="font-medium">{t('signIn.email')}</span>
          <bdi className="self-start break-all select-all">{person.email}</bdi>
          <span className="text-xs text-ink-soft">{t(sendsEmail ? 'account.email.hint' : 'account.emailHint')}</span>
          {sendsEmail && (
            <Button look="quiet" className="self-start" onClick={() => setChanging(true)}>
              {t('account.email.change')}
            </Button>
          )}
        </div>
        <FormActions>
          <Button
            look="primary"
            type="submit"
            isBusy={save.isPending}
            disabled={wanted === '' || wanted === person.name}
          >
            {t('account.save')}
          </Button>
        </FormActions>
        {guard}
      </Form>
      {/* Outside the form: the dialog has a form of its own, and React passes its events on to the elements around it. */}
      {isChanging && <ChangeEmailDialog onClose={() => setChanging(false)} />}
    </>
  );
}
