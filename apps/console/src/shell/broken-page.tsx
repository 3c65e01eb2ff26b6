import { ErrorNote } from '@berth/ui';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useConsoleTexts } from '../text/use-console-texts.ts';

/** In place of a page whose code failed; the rest of the console goes on. */
export function BrokenPage({ error, reset }: ErrorComponentProps) {
  const { t } = useConsoleTexts();
  return (
    <div className="flex flex-col gap-4">
      <h1 className="text-lg font-semibold">{t('shell.broken.title')}</h1>
      <ErrorNote error={error} onRetry={reset} />
    </div>
  );
}
