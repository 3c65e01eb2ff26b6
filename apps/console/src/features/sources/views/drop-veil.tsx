import { FolderUp } from 'lucide-react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

/** Overlay shown while files are dragged over the page. */
export function DropVeil() {
  const { t } = useConsoleTexts();
  return (
    <div className="pointer-events-none fixed inset-0 z-50 flex items-center justify-center bg-ground/80 p-4">
      <div className="flex w-full max-w-md flex-col items-center gap-2 rounded-xl border-2 border-accent border-dashed bg-raised px-6 py-12 text-center">
        <FolderUp aria-hidden className="size-8 text-accent" strokeWidth={1.5} />
        <p className="font-semibold text-base">{t('deploy.drop')}</p>
        <p className="text-ink-soft">{t('deploy.dropHint')}</p>
      </div>
    </div>
  );
}
