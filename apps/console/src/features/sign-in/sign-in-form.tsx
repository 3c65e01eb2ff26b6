import { Button, ErrorNote, Field } from '@berth/ui';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** E-mail address and password. Where it stands goes on by itself when somebody is signed in. */
export function SignInForm() {
  const { t } = useConsoleTexts();
  const { session } = useConsole();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({ mutationFn: () => session.signIn(email, password) });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate();
      }}
    >
      <Field
        label={t('signIn.email')}
        type="email"
        name="email"
        autoComplete="username webauthn"
        required
        dir="ltr"
        value={email}
        onChange={setEmail}
      />
      <Field
        label={t('signIn.password')}
        type="password"
        name="password"
        autoComplete="current-password"
        required
        dir="ltr"
        value={password}
        onChange={setPassword}
      />
      {signIn.error && <ErrorNote error={signIn.error} />}
      <Button look="primary" type="submit" isBusy={signIn.isPending}>
        {t('signIn.submit')}
      </Button>
    </form>
  );
}
