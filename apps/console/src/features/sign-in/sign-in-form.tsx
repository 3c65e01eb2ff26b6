import { Button, CopyCode, ErrorNote, Form, FormActions } from '@berth/ui';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { EmailField, PasswordField } from '../../components/fields.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { useSignInWays } from './use-sign-in-ways.ts';

/**
 * Form for email address and password. Has the address of the person whose session expired. The surrounding page reacts to the
 * new session.
 */
export function SignInForm() {
  const { t } = useConsoleTexts();
  const { session } = useConsole();
  const { data: ways = [] } = useSignInWays();
  const [email, setEmail] = useState(session.email ?? '');
  const [password, setPassword] = useState('');
  const signIn = useMutation({ mutationFn: () => session.signIn(email, password) });
  return (
    <>
      <Form onSubmit={() => signIn.mutate()} error={signIn.error}>
        <EmailField autoComplete="username webauthn" value={email} onChange={setEmail} />
        <PasswordField value={password} onChange={setPassword} />
        <FormActions isWide>
          <Button look="primary" type="submit" isBusy={signIn.isPending}>
            {t('signIn.submit')}
          </Button>
        </FormActions>
      </Form>
      <details className="mt-3 text-ink-soft">
        <summary className="disclosure w-fit cursor-pointer hover:text-ink">{t('signIn.forgot')}</summary>
        {ways.some(({ sends_email }) => sends_email) ? (
          <ResetByMail email={email} />
        ) : (
          <>
            <p className="mt-1 mb-2">{t('signIn.forgot.text')}</p>
            <CopyCode code={`npx berth members reset-password ${email || 'you@example.com'}`} />
          </>
        )}
      </details>
    </>
  );
}

/** Mails a reset link to the address of the form. The page says the same whether or not a person has it. */
function ResetByMail({ email }: { readonly email: string }) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const send = useMutation({
    mutationFn: () => client.post('/v1/auth/password-reset/request', { body: { email } }),
  });
  if (send.isSuccess) return <p className="mt-1">{t('signIn.forgot.sent')}</p>;
  return (
    <>
      <p className="mt-1 mb-2">{t('signIn.forgot.mail')}</p>
      {send.error && <ErrorNote error={send.error} />}
      <Button isBusy={send.isPending} disabled={email === ''} onClick={() => send.mutate()}>
        {t('signIn.forgot.send')}
      </Button>
    </>
  );
}
