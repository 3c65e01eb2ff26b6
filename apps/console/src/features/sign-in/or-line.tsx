import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Divider between two alternatives. */
export function OrLine() {
  const { t } = useConsoleTexts();
  return (
    <div className="my-4 flex items-center gap-3 text-xs text-ink-soft">
      <span aria-hidden className="h-px flex-1 bg-line" />
      {t('ways.or')}
      <span aria-hidden className="h-px flex-1 bg-line" />
    </div>
  );
}
