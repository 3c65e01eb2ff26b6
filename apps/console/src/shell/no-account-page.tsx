import { Button, EmptyState } from '@berth/ui';
import { UserX } from 'lucide-react';
import { useConsole } from '../api/console-context.ts';
import { useConsoleTexts } from '../text/use-console-texts.ts';

/** Shown to people without any account: they can do nothing until somebody invites them. */
export function NoAccountPage() {
  const { t } = useConsoleTexts();
  const { session } = useConsole();
  return (
    <EmptyState isPage icon={UserX} title={t('rights.none.title')} text={t('rights.none.text')}>
      <Button onClick={() => void session.signOut()}>{t('shell.signOut')}</Button>
    </EmptyState>
  );
}
