import { Button, MiddleText } from '@berth/ui';
import { useConsoleTexts } from '../../../../text/use-console-texts.ts';
import { nameOf } from '../../state/folder-path.ts';
import type { WaitingFile } from '../state/upload-queue.ts';
import { useUploadQueue } from '../state/upload-queue-context.ts';

/** Number of names listed; of the others, only the count is shown. */
const SHOWN = 3;
const CHOICES = ['replace', 'keep-both', 'skip'] as const;

/** Asks whether to skip, replace or keep both where a file already exists. */
export function UploadConflicts({ files }: { readonly files: readonly WaitingFile[] }) {
  const { t } = useConsoleTexts();
  const uploads = useUploadQueue();
  return (
    <div role="alert" className="flex flex-col gap-2 border-line border-t pt-2">
      <p className="font-medium">{t('uploads.conflicts', { count: files.length })}</p>
      <ul className="text-xs text-ink-soft">
        {files.slice(0, SHOWN).map(({ object }) => (
          <li key={object}>
            <MiddleText text={nameOf(object)} />
          </li>
        ))}
        {files.length > SHOWN && <li>{t('uploads.more', { count: files.length - SHOWN })}</li>}
      </ul>
      <div className="flex flex-wrap gap-2">
        {CHOICES.map((choice) => (
          <Button key={choice} onClick={() => uploads.settle(choice)}>
            {t(`uploads.choice.${choice}`)}
          </Button>
        ))}
      </div>
    </div>
  );
}
