import { Button, Field, Form, FormActions } from '@berth/ui';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { DoorPage } from './door-page.tsx';

/** Page that creates the platform's first person. The server prints the link to it. */
export function FirstRunPage() {
  const { t } = useConsoleTexts();
  const { session, linkSecret } = useConsole();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const begin = useMutation({
    mutationFn: () => session.beginFirstRun({ token: linkSecret ?? '', name, email, password }),
    onSuccess: () => navigate({ to: '/deployments' }),
  });
  if (linkSecret === undefined) {
    return <DoorPage title={t('firstRun.noLink.title')} text={t('firstRun.noLink.text')} />;
  }
  return (
    <DoorPage title={t('firstRun.title')} text={t('firstRun.text')}>
      <Form onSubmit={() => begin.mutate()} error={begin.error}>
        <Field
          label={t('firstRun.name')}
          name="name"
          autoComplete="name"
          required
          maxLength={100}
          value={name}
          onChange={setName}
        />
        <Field
          label={t('signIn.email')}
          type="email"
          name="email"
          autoComplete="username"
          required
          dir="ltr"
          value={email}
          onChange={setEmail}
        />
        <Field
          label={t('signIn.password')}
          hint={t('firstRun.passwordHint')}
          type="password"
          name="password"
          autoComplete="new-password"
          required
          minLength={12}
          maxLength={128}
          dir="ltr"
          value={password}
          onChange={setPassword}
        />
        <FormActions isWide>
          <Button look="primary" type="submit" isBusy={begin.isPending}>
            {t('firstRun.submit')}
          </Button>
        </FormActions>
      </Form>
    </DoorPage>
  );
}
