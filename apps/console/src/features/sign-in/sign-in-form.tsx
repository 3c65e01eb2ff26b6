import { Button, CopyCode, Form, FormActions } from '@berth/ui';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { EmailField, PasswordField } from '../../components/fields.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/**
 * Form for email address and password. Has the address of the person whose session expired. The surrounding page reacts to the
 * new session.
 */
export function SignInForm() {
  const { t } = useConsoleTexts();
  const { session } = useConsole();
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
        <p className="mt-1 mb-2">{t('signIn.forgot.text')}</p>
        <CopyCode code={`npx berth members reset-password ${email || 'you@example.com'}`} />
      </details>
    </>
  );
}
