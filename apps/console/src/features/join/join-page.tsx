import { Button, ErrorNote, Form, FormActions, Skeleton } from '@berth/ui';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { LogIn } from 'lucide-react';
import { useState } from 'react';
import { useConsole, useSessionState } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useRead } from '../../api/use-read.ts';
import { EmailField, NewPasswordField, PersonNameField } from '../../components/fields.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { DoorPage } from '../sign-in/door-page.tsx';
import { OrLine } from '../sign-in/or-line.tsx';
import { useSignInWays } from '../sign-in/use-sign-in-ways.ts';

/** Page of an invitation link. A new person signs up; one who is signed in joins at once. */
export function JoinPage() {
  const { t } = useConsoleTexts();
  const { client, session, accountChoice, linkSecret } = useConsole();
  const isSignedIn = useSessionState() !== 'signed-out';
  const navigate = useNavigate();
  const [person, setPerson] = useState({ name: '', email: '', password: '' });
  const invite = useRead(
    QUERY_KEYS.invite(linkSecret),
    (client, signal) => client.post('/v1/auth/invites/show', { body: { token: linkSecret ?? '' }, signal }),
    { enabled: linkSecret !== undefined },
  );
  const join = useMutation({
    async mutationFn() {
      const token = linkSecret ?? '';
      if (isSignedIn) await client.post('/v1/user/invites/accept', { body: { token } });
      else await client.post('/v1/auth/invites/accept', { body: { token, ...person } });
      if (invite.data) accountChoice.choose(invite.data.account.id);
      await session.check();
    },
    onSuccess: () => navigate({ to: '/deployments' }),
  });
  if (linkSecret === undefined) return <DoorPage title={t('join.noLink.title')} text={t('join.noLink.text')} />;
  if (!invite.data) {
    return (
      <DoorPage title={t('join.title', { account: '…' })}>
        {invite.error ? <ErrorNote error={invite.error} /> : <Skeleton shape="form" rows={3} />}
      </DoorPage>
    );
  }
  const { account, role, invited_by: inviter } = invite.data;
  const about = { account: account.name, role: t(`join.as.${role}`) };
  const email = invite.data.email ?? person.email;
  return (
    <DoorPage
      title={t('join.title', { account: account.name })}
      text={inviter ? t('join.text', { inviter, ...about }) : t('join.textAnonymous', about)}
    >
      <Form onSubmit={() => join.mutate()} error={join.error}>
        {!isSignedIn && (
          <>
            <PersonNameField value={person.name} onChange={(name) => setPerson({ ...person, email, name })} />
            <EmailField
              readOnly={invite.data.email !== null}
              value={email}
              onChange={(next) => setPerson({ ...person, email: next })}
            />
            <NewPasswordField
              value={person.password}
              onChange={(password) => setPerson({ ...person, email, password })}
            />
          </>
        )}
        <FormActions isWide>
          <Button look="primary" type="submit" isBusy={join.isPending}>
            {t(isSignedIn ? 'join.accept' : 'join.submit')}
          </Button>
        </FormActions>
      </Form>
      {!isSignedIn && <JoinWithProvider token={linkSecret} accountId={account.id} />}
    </DoorPage>
  );
}

interface JoinWithProviderProps {
  /** Secret of the invitation. */
  readonly token: string;
  /** ID of the account that the invitation is for. */
  readonly accountId: string;
}

/** Links that accept an invitation by signing in with a provider. Renders nothing if there are none. */
function JoinWithProvider({ token, accountId }: JoinWithProviderProps) {
  const { t } = useConsoleTexts();
  const { client, accountChoice } = useConsole();
  const { data = [] } = useSignInWays();
  const providers = data.filter(({ kind }) => kind === 'oidc');
  const leave = useMutation({
    mutationFn: (provider: string) => client.post('/v1/auth/oidc/join', { body: { provider, token } }),
    onSuccess({ url }) {
      accountChoice.choose(accountId);
      location.assign(url);
    },
  });
  if (providers.length === 0) return null;
  return (
    <>
      <OrLine />
      <div className="flex flex-col gap-2">
        {leave.error && <ErrorNote error={leave.error} />}
        {providers.map(({ id, name }) => (
          <Button key={id} isBusy={leave.isPending && leave.variables === id} onClick={() => leave.mutate(id)}>
            <LogIn aria-hidden className="size-4 shrink-0 rtl:-scale-x-100" />
            <span className="truncate">{t('ways.join', { name })}</span>
          </Button>
        ))}
      </div>
    </>
  );
}
