import { Button, buttonClass, Form, FormActions, Skeleton } from '@berth/ui';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { EmailField, NewPasswordField, PersonNameField } from '../../components/fields.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { DoorPage } from './door-page.tsx';
import { useFirstRun } from './use-first-run.ts';

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
  const state = useFirstRun(linkSecret);
  if (linkSecret !== undefined && state.isPending) {
    return (
      <DoorPage title={t('firstRun.title')}>
        <Skeleton rows={4} />
      </DoorPage>
    );
  }
  if (state.data && !state.data.is_needed) {
    return (
      <DoorPage title={t('firstRun.used.title')} text={t('firstRun.used.text')}>
        <Link to="/deployments" className={buttonClass('primary')}>
          {t('firstRun.signIn')}
        </Link>
      </DoorPage>
    );
  }
  if (linkSecret !== undefined && state.data && !state.data.is_valid) {
    return <DoorPage title={t('firstRun.stale.title')} text={t('firstRun.stale.text')} />;
  }
  if (linkSecret === undefined) {
    return <DoorPage title={t('firstRun.noLink.title')} text={t('firstRun.noLink.text')} />;
  }
  return (
    <DoorPage title={t('firstRun.title')} text={t('firstRun.text')}>
      <Form onSubmit={() => begin.mutate()} error={begin.error}>
        <PersonNameField value={name} onChange={setName} />
        <EmailField value={email} onChange={setEmail} />
        <NewPasswordField value={password} onChange={setPassword} />
        <FormActions isWide>
          <Button look="primary" type="submit" isBusy={begin.isPending}>
            {t('firstRun.submit')}
          </Button>
        </FormActions>
      </Form>
    </DoorPage>
  );
}
