import { EmptyState } from '@berth/ui';
import { CloudOff } from 'lucide-react';
import { useEffect } from 'react';
import { useConsole } from '../api/console-context.ts';
import { useConsoleTexts } from '../text/use-console-texts.ts';

const ASK_MS = 3_000;

/** Shown while the platform is unreachable. It retries until the platform answers. */
export function UnreachablePage() {
  const { t } = useConsoleTexts();
  const { session } = useConsole();
  useEffect(() => {
    const asking = setInterval(() => void session.check(), ASK_MS);
    return () => clearInterval(asking);
  }, [session]);
  return (
    <main>
      <EmptyState isPage icon={CloudOff} title="Berth" text={t('shell.offline')} />
    </main>
  );
}
