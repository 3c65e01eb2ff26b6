import { Button, MiddleText } from '@berth/ui';
import { CircleAlert } from 'lucide-react';
import { useConsoleTexts } from '../../../../text/use-console-texts.ts';
import { nameOf } from '../../state/folder-path.ts';
import type { FailedUpload } from '../state/upload-queue.ts';
import { useUploadQueue } from '../state/upload-queue-context.ts';

/** Number of failures listed; of the others, only the count is shown. */
const SHOWN = 5;

/** Props of {@link UploadFailures}. */
export interface UploadFailuresProps {
  readonly failed: readonly FailedUpload[];
  /** True once the uploads have ended, so that failed ones can be retried. */
  readonly isDone: boolean;
}

/** List of files that could not be uploaded, with the reasons. */
export function UploadFailures({ failed, isDone }: UploadFailuresProps) {
  const { t } = useConsoleTexts();
  const uploads = useUploadQueue();
  return (
    <div role="alert" className="flex flex-col gap-1">
      <p className="flex items-center gap-2 text-bad">
        <CircleAlert aria-hidden className="size-4" />
        {t('uploads.failed', { count: failed.length })}
      </p>
      <ul className="text-xs text-ink-soft">
        {failed.slice(0, SHOWN).map(({ file, reason }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: failures are only appended
          <li key={index} className="break-words">
            {file ? <MiddleText text={nameOf(file.object)} /> : t('uploads.unreadable')} <bdi>{reason}</bdi>
          </li>
        ))}
        {failed.length > SHOWN && <li>{t('uploads.more', { count: failed.length - SHOWN })}</li>}
      </ul>
      {isDone && <Button onClick={() => uploads.retry()}>{t('uploads.retry')}</Button>}
    </div>
  );
}
