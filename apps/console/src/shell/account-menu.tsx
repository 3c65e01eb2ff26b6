import { Button, Menu, useTell } from '@berth/ui';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Building2, CircleUser, LogOut, Settings } from 'lucide-react';
import { useConsole } from '../api/console-context.ts';
import { QUERY_KEYS } from '../api/query-keys.ts';
import { useUser } from '../api/use-rights.ts';
import { useConsoleTexts } from '../text/use-console-texts.ts';

/** The menu of the person: their accounts, their own page, and sign-out. */
export function AccountMenu({ onGo }: { onGo(): void }) {
  const { t } = useConsoleTexts();
  const { client, session, accountChoice } = useConsole();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const tell = useTell();
  const { data } = useUser();
  const accounts = useQuery({
    queryKey: QUERY_KEYS.accounts,
    // An API key belongs to one account only.
    enabled: data?.user != null,
    queryFn: ({ signal }) => client.get('/v1/user/accounts', { signal }),
  });
  const others = accounts.data && accounts.data.length > 1 ? accounts.data : [];
  const name = data?.user?.name ?? data?.account.name ?? '…';
  const account = data?.user ? data.account.name : undefined;
  const choose = async (id: string, label: string) => {
    accountChoice.choose(id);
    onGo();
    // A detail page may belong to the previous account; its list exists in both.
    await navigate({ to: `/${location.pathname.split('/')[1]}` });
    void queries.resetQueries();
    tell(t('shell.switched', { account: label }));
  };
  const go = () => {
    onGo();
    void navigate({ to: '/account' });
  };
  const trigger = (
    <Button look="quiet" className="h-auto min-h-8 w-full min-w-0 justify-start px-2 py-1">
      <CircleUser aria-hidden className="size-4 shrink-0 text-ink-soft" />
      <span title={data?.user?.email} className="flex min-w-0 flex-col items-start text-start">
        <span className="sr-only">{t('shell.account')}</span>
        <bdi className="max-w-full truncate">{name}</bdi>
        {account !== undefined && (
          <bdi title={account} className="max-w-full truncate text-xs font-normal text-ink-soft">
            {account}
          </bdi>
        )}
      </span>
    </Button>
  );
  return (
    <Menu
      trigger={trigger}
      items={[
        ...others.map(({ id, name: label }) => ({
          ...{ label, icon: Building2, isChosen: id === data?.account.id },
          onChoose: () => void choose(id, label),
        })),
        { label: t('account.title'), icon: Settings, onChoose: go },
        { label: t('shell.signOut'), icon: LogOut, onChoose: () => void session.signOut() },
      ]}
    />
  );
}
