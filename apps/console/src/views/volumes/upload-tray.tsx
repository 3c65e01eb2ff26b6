import { Button, IconButton, MiddleText } from '@berth/web';
import { useQueryClient } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { useEffect, useSyncExternalStore } from 'react';
import { useConsole } from '../../state/console-context.ts';
import { nameOf } from '../../state/volumes/folder-path.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { UploadRow } from './upload-row.tsx';

/** Failures that are listed; of more, the number is said. */
const SHOWN_FAILURES = 5;

/** How uploads stand, above the foot of the page. */
export function UploadTray() {
  const { t } = useConsoleTexts();
  const { uploads } = useConsole();
  const queries = useQueryClient();
  const state = useSyncExternalStore(uploads.subscribe, () => uploads.state);
  const isSending = state?.isDone === false;
  const done = state?.doneCount ?? 0;
  useEffect(() => {
    if (!isSending) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isSending]);
  useEffect(() => {
    // Each hundredth file, and the last: a listing per file would be more work than the uploads.
    if (done > 0 && (!isSending || done % 100 === 0)) {
      void queries.invalidateQueries({ queryKey: ['files'] });
      void queries.invalidateQueries({ queryKey: ['volumes'] });
    }
  }, [done, isSending, queries]);
  if (!state) return null;
  const { begunCount, doneCount, active, failed, isDone } = state;
  return (
    <section
      aria-label={t('uploads.title')}
      className="pop fixed inset-x-3 bottom-3 z-30 flex flex-col gap-2 p-3 sm:start-auto sm:w-96"
    >
      <div className="flex items-center gap-2">
        {isDone && failed.length === 0 && <CircleCheck aria-hidden className="size-4 text-good" />}
        <p role="status" className="flex-1 font-medium">
          {isDone
            ? t('uploads.done', { count: doneCount })
            : t('uploads.progress', { done: doneCount, count: begunCount })}
        </p>
        {isDone ? (
          <IconButton icon={X} label={t('uploads.close')} onClick={() => uploads.clear()} />
        ) : (
          <Button look="quiet" onClick={() => uploads.cancel()}>
            {t('uploads.cancel')}
          </Button>
        )}
      </div>
      {active.length > 0 && (
        <ul className="flex flex-col gap-2">
          {active.map((upload) => (
            <UploadRow key={upload.object} upload={upload} />
          ))}
        </ul>
      )}
      {failed.length > 0 && (
        <div role="alert" className="flex flex-col gap-1">
          <p className="flex items-center gap-2 text-bad">
            <CircleAlert aria-hidden className="size-4" />
            {t('uploads.failed', { count: failed.length })}
          </p>
          <ul className="text-xs text-ink-soft">
            {failed.slice(0, SHOWN_FAILURES).map(({ file, reason }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: failures are only added
              <li key={index} className="break-words">
                {file ? <MiddleText text={nameOf(file.object)} /> : t('uploads.unreadable')} <bdi>{reason}</bdi>
              </li>
            ))}
          </ul>
          {isDone && <Button onClick={() => uploads.retry()}>{t('uploads.retry')}</Button>}
        </div>
      )}
    </section>
  );
}
