import { Button, Menu } from '@berth/web';
import { useQuery } from '@tanstack/react-query';
import { CircleUser, LogOut } from 'lucide-react';
import { useConsole } from '../state/console-context.ts';
import { useConsoleTexts } from '../text/use-console-texts.ts';

/** Who is signed in, for which account, and the way out. */
export function AccountMenu() {
  const { t } = useConsoleTexts();
  const { client, session } = useConsole();
  const { data } = useQuery({ queryKey: ['user'], queryFn: ({ signal }) => client.whoami({ signal }) });
  const name = data?.user?.name ?? data?.account.name ?? '…';
  const trigger = (
    <Button look="quiet" aria-label={`${t('shell.account')}: ${name}`} className="min-w-0 flex-1 justify-start px-2">
      <CircleUser aria-hidden className="size-4 shrink-0 text-ink-soft" />
      <span title={data?.user?.email} className="truncate">
        {name}
      </span>
    </Button>
  );
  return (
    <Menu
      trigger={trigger}
      items={[{ label: t('shell.signOut'), icon: LogOut, onChoose: () => void session.signOut() }]}
    />
  );
}
