import { Button, IconButton, MiddleText } from '@berth/ui';
import { X } from 'lucide-react';
import { Progress } from '../../components/progress.tsx';
import { useStore } from '../../store/use-store.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { useFiles } from './use-files.ts';

/** Maximum number of uploads shown; the others are counted. */
const SHOWN = 6;

/** The running and failed uploads, with the progress of each. */
export function UploadList() {
  const { t } = useChatTexts();
  const { uploads } = useFiles();
  const all = useStore(uploads.state);
  if (all.length === 0) return null;
  return (
    <ul aria-label={t('files.uploads')} className="flex flex-col gap-2 rounded-lg border border-line bg-sunken p-2">
      {all.slice(0, SHOWN).map(({ id, path, progress, problem, mayRetry }) => (
        <li key={id} className="flex items-center gap-2">
          <div className="min-w-0 flex-1">
            <MiddleText text={path} />
            {problem === undefined ? (
              <Progress label={path} value={progress} />
            ) : (
              <p role="alert" className="text-xs text-bad">
                {problem}
              </p>
            )}
          </div>
          {problem !== undefined && mayRetry && <Button onClick={() => uploads.retry(id)}>{t('files.again')}</Button>}
          <IconButton
            icon={X}
            label={problem === undefined ? t('files.cancel', { name: path }) : t('files.calledOff', { name: path })}
            onClick={() => uploads.remove(id)}
          />
        </li>
      ))}
      {all.length > SHOWN && <li className="text-xs text-ink-soft tabular-nums">+{all.length - SHOWN}</li>}
    </ul>
  );
}
