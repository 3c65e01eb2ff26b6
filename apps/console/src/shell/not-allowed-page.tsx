import { buttonClass, EmptyState } from '@berth/ui';
import { Link } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { useUser } from '../api/use-rights.ts';
import { useConsoleTexts } from '../text/use-console-texts.ts';

/** Replaces a page that the person's role may not use: the server would refuse all of its calls. */
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
