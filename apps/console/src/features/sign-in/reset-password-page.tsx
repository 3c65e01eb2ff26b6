import { Button, ErrorNote, Form, FormActions, Skeleton } from '@berth/ui';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useRead } from '../../api/use-read.ts';
import { EmailField, NewPasswordField } from '../../components/fields.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { DoorPage } from './door-page.tsx';

/** Page of a password reset link: the person chooses a new password and is signed in. */
export function ResetPasswordPage() {
  const { t } = useConsoleTexts();
  const { client, session, linkSecret } = useConsole();
  const navigate = useNavigate();
  const [password, setPassword] = useState('');
  const token = linkSecret ?? '';
  const reset = useRead(
    QUERY_KEYS.passwordReset(linkSecret),
    (client, signal) => client.post('/v1/auth/password-reset/show', { body: { token }, signal }),
    { enabled: linkSecret !== undefined },
  );
  const save = useMutation({
    mutationFn: async () =>
      session.noteSignedIn(await client.post('/v1/auth/password-reset', { body: { token, password } })),
    onSuccess: () => navigate({ to: '/deployments' }),
  });
  if (linkSecret === undefined) return <DoorPage title={t('join.noLink.title')} text={t('reset.noLink')} />;
  const title = t('reset.title');
  if (!reset.data) {
    return (
      <DoorPage title={title}>
        {reset.error ? <ErrorNote error={reset.error} /> : <Skeleton shape="form" rows={2} />}
      </DoorPage>
    );
  }
  return (
    <DoorPage title={title} text={t('reset.text')}>
      <Form onSubmit={() => save.mutate()} error={save.error}>
        <EmailField readOnly autoComplete="username" value={reset.data.email} onChange={() => {}} />
        <NewPasswordField value={password} onChange={setPassword} />
        <FormActions isWide>
          <Button look="primary" type="submit" isBusy={save.isPending}>
            {t('reset.submit')}
          </Button>
        </FormActions>
      </Form>
    </DoorPage>
  );
}
