import { buttonClass, EmptyState } from '@berth/ui';
import { Link } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { useUser } from '../api/use-rights.ts';
import { useConsoleTexts } from '../text/use-console-texts.ts';

/** In place of a page that the person's role has no use for: the server would refuse all of it. */
export function NotAllowedPage() {
  const { t } = useConsoleTexts();
  const { data } = useUser();
  const text = t('rights.text', {
    account: data?.account.name ?? '',
    role: t(`people.role.${data?.role ?? 'member'}`),
  });
  return (
    <EmptyState isPage icon={Lock} title={t('rights.title')} text={text}>
      <Link to="/deployments" className={buttonClass()}>
        {t('rights.home')}
      </Link>
    </EmptyState>
  );
}
