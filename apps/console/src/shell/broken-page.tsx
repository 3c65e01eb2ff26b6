import { ErrorNote } from '@berth/ui';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useConsoleTexts } from '../text/use-console-texts.ts';

/** Replaces a page whose code failed to load or threw; the rest of the console keeps working. */
export function BrokenPage({ error, reset }: ErrorComponentProps) {
  const { t } = useConsoleTexts();
  return (
    <div className="flex flex-col gap-4">
      <h1 className="text-lg font-semibold">{t('shell.broken.title')}</h1>
      <ErrorNote error={error} onRetry={reset} />
    </div>
  );
}
