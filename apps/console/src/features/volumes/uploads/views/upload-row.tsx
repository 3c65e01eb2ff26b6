import { MiddleText } from '@berth/ui';
import { useConsoleTexts } from '../../../../text/use-console-texts.ts';
import { nameOf } from '../../state/folder-path.ts';
import type { ActiveUpload } from '../state/upload-queue.ts';

/** Progress of one file that is being uploaded. */
export function UploadRow({ upload }: { readonly upload: ActiveUpload }) {
  const { t, formats } = useConsoleTexts();
  const { object, sizeBytes, sentBytes, isInterrupted } = upload;
  const ratio = sizeBytes === 0 ? 1 : sentBytes / sizeBytes;
  return (
    <li className="flex flex-col gap-1 text-xs">
      <span className="flex items-center gap-2">
        <span className="min-w-0 flex-1">
          <MiddleText text={nameOf(object)} />
        </span>
        <span className={isInterrupted ? 'text-warn' : 'text-ink-soft'}>
          {isInterrupted
            ? t('uploads.interrupted')
            : `${formats.bytes(sizeBytes)} · ${formats.number(ratio, { style: 'percent' })}`}
        </span>
      </span>
      <progress
        aria-label={nameOf(object)}
        value={ratio}
        max={1}
        className="h-1 w-full appearance-none overflow-hidden rounded-full bg-hover accent-accent-ground [&::-moz-progress-bar]:bg-accent-ground [&::-webkit-progress-bar]:bg-hover [&::-webkit-progress-value]:bg-accent-ground"
      />
    </li>
  );
}
