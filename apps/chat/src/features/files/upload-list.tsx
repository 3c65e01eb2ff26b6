import { Button, IconButton, MiddleText } from '@berth/ui';
import { useStore } from '@berth/ui/store';
import { X } from 'lucide-react';
import { FileTooLarge } from '../../api/put-file.ts';
import { Progress } from '../../components/progress.tsx';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { useUploadError } from '../uploads/use-upload-error.ts';
import { useFiles } from './use-files.ts';

/** Maximum number of uploads shown; the others are counted. */
const SHOWN = 6;

/** The running and failed uploads, with the progress of each. */
export function UploadList() {
  const { t } = useChatTexts();
  const { uploads } = useFiles();
  const explain = useUploadError();
  const all = useStore(uploads.state);
  if (all.length === 0) return null;
  return (
    <ul aria-label={t('files.uploads')} className="flex flex-col gap-2 rounded-lg border border-line bg-sunken p-2">
      {all.slice(0, SHOWN).map(({ id, name, progress, error }) => (
        <li key={id} className="flex items-center gap-2">
          <div className="min-w-0 flex-1">
            <MiddleText text={name} />
            {error === undefined ? (
              <Progress label={name} value={progress} />
            ) : (
              <p role="alert" className="text-xs text-bad">
                {explain(error)}
              </p>
            )}
          </div>
          {error !== undefined && !(error instanceof FileTooLarge) && (
            <Button onClick={() => uploads.retry(id)}>{t('files.again')}</Button>
          )}
          <IconButton
            icon={X}
            label={t(error === undefined ? 'files.cancel' : 'files.calledOff', { name })}
            onClick={() => uploads.remove(id)}
          />
        </li>
      ))}
      {all.length > SHOWN && <li className="text-xs text-ink-soft tabular-nums">+{all.length - SHOWN}</li>}
    </ul>
  );
}
