import { Button, ErrorNote } from '@berth/ui';
import { FileArchive, TriangleAlert } from 'lucide-react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import type { Packing } from './use-packed.ts';

interface SourceSummaryProps {
  readonly packing: Packing;
  /** Returns to the choice of a source. */
  onAgain(): void;
}

/** Summary of the source to upload, with warnings. */
export function SourceSummary({ packing, onAgain }: SourceSummaryProps) {
  const { t } = useConsoleTexts();
  const { words, error, secretFiles = [] } = packing;
  return (
    <>
      <div className="flex min-h-10 items-center gap-3 rounded-md border border-line bg-sunken px-3 py-1">
        <FileArchive aria-hidden className="size-4 shrink-0 text-ink-soft" />
        <span role="status" dir="auto" className="min-w-0 flex-1 break-words">
          {words}
        </span>
        <Button look="quiet" onClick={onAgain}>
          {t('deploy.chooseOther')}
        </Button>
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      {secretFiles.length > 0 && (
        <p className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
          <span className="min-w-0 break-words">{t('deploy.secrets', { files: secretFiles.join(', ') })}</span>
        </p>
      )}
    </>
  );
}
