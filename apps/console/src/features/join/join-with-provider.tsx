import { Button, ErrorNote } from '@berth/ui';
import { useMutation } from '@tanstack/react-query';
import { LogIn } from 'lucide-react';
import { useConsole } from '../../api/console-context.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { OrLine } from '../sign-in/or-line.tsx';
import { useSignInWays } from '../sign-in/use-sign-in-ways.ts';

interface JoinWithProviderProps {
  /** Secret of the invitation. */
  readonly token: string;
  /** ID of the account that the invitation is for. */
  readonly accountId: string;
}

/** Links that accept an invitation by signing in with a provider. Renders nothing if there are none. */
export function JoinWithProvider({ token, accountId }: JoinWithProviderProps) {
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
