import { buttonClass, EmptyState } from '@berth/ui';
import { Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { useConsoleTexts } from '../text/use-console-texts.ts';

export function MissingPage() {
  const { t } = useConsoleTexts();
  return (
    <EmptyState isPage icon={Compass} title={t('shell.notFound.title')} text={t('shell.notFound.text')}>
      <Link to="/deployments" className={buttonClass()}>
        {t('shell.home')}
      </Link>
    </EmptyState>
  );
}
