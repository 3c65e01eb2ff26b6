import { Button, Menu } from '@berth/web';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Building2, CircleUser, LogOut, Settings } from 'lucide-react';
import { useConsole } from '../state/console-context.ts';
import { useConsoleTexts } from '../text/use-console-texts.ts';

/** Who is signed in, for which of their accounts, and the way out. */
export function AccountMenu() {
  const { t } = useConsoleTexts();
  const { client, session, accountChoice } = useConsole();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { data } = useQuery({ queryKey: ['user'], queryFn: ({ signal }) => client.whoami({ signal }) });
  const accounts = useQuery({
    queryKey: ['accounts'],
    // A key has no accounts but its own.
    enabled: data?.user != null,
    queryFn: ({ signal }) => client.listAccounts({ signal }),
  });
  const others = accounts.data && accounts.data.length > 1 ? accounts.data : [];
  const name = data?.user?.name ?? data?.account.name ?? '…';
  const trigger = (
    <Button look="quiet" aria-label={`${t('shell.account')}: ${name}`} className="w-full min-w-0 justify-start px-2">
      <CircleUser aria-hidden className="size-4 shrink-0 text-ink-soft" />
      <span title={data?.user?.email} className="truncate">
        {name}
      </span>
    </Button>
  );
  return (
    <Menu
      trigger={trigger}
      items={[
        ...others.map(({ id, name: label }) => ({
          ...{ label, icon: Building2, isChosen: id === data?.account.id },
          onChoose() {
            accountChoice.choose(id);
            // What is shown belongs to the account that was left.
            void queries.resetQueries();
          },
        })),
        { label: t('account.title'), icon: Settings, onChoose: () => void navigate({ to: '/account' }) },
        { label: t('shell.signOut'), icon: LogOut, onChoose: () => void session.signOut() },
      ]}
    />
  );
}
