import { Button, IconButton, MiddleText } from '@berth/ui';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { useEffect, useSyncExternalStore } from 'react';
import { QUERY_KEYS } from '../../../../api/query-keys.ts';
import { useConsoleTexts } from '../../../../text/use-console-texts.ts';
import { nameOf } from '../../state/folder-path.ts';
import type { CutOffUpload } from '../state/upload-journal.ts';
import type { ActiveUpload, FailedUpload, Uploads, WaitingFile } from '../state/upload-queue.ts';
import { useUploadQueue } from '../state/upload-queue-context.ts';

/** Progress of the tab's uploads, at the foot of every page. */
export function UploadTray() {
  const { t } = useConsoleTexts();
  const uploads = useUploadQueue();
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
    // The listing is refreshed after every hundredth file and after the last; after each file would cost more than the
    // uploads.
    if (done > 0 && (!isSending || done % 100 === 0)) {
      void queries.invalidateQueries({ queryKey: QUERY_KEYS.anyFiles });
      void queries.invalidateQueries({ queryKey: QUERY_KEYS.volumes });
    }
  }, [done, isSending, queries]);
  if (!state) return null;
  const { active, failed, conflicts, cutOff, isDone } = state;
  const isSound = isDone && failed.length + conflicts.length + cutOff.length === 0;
  return (
    <section
      aria-label={t('uploads.title')}
      className="pop flex max-h-[45dvh] w-full flex-col gap-2 overflow-y-auto p-3 sm:max-h-[70dvh] sm:w-96"
    >
      <div className="flex items-center gap-2">
        {isSound && <CircleCheck aria-hidden className="size-4 text-good" />}
        {isDone && cutOff.length > 0 && <CircleAlert aria-hidden className="size-4 text-warn" />}
        <p role="status" className="flex-1 font-medium">
          {headline(state, t)}
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
      {cutOff.length > 0 && <CutOffUploads uploads={cutOff} />}
      {conflicts.length > 0 && <UploadConflicts files={conflicts} />}
      {failed.length > 0 && <UploadFailures failed={failed} isDone={isDone} />}
    </section>
  );
}

function headline(
  { begunCount, doneCount, cutOff, isDone }: Uploads,
  t: ReturnType<typeof useConsoleTexts>['t'],
): string {
  if (!isDone) return t('uploads.progress', { done: doneCount, count: begunCount });
  return cutOff.length > 0 && doneCount === 0 ? t('uploads.cutOff') : t('uploads.done', { count: doneCount });
}

/** Progress of one file that is being uploaded. */
function UploadRow({ upload }: { readonly upload: ActiveUpload }) {
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

/** Notice of uploads that a page reload interrupted, with the folders where to drop the files again. */
function CutOffUploads({ uploads }: { readonly uploads: readonly CutOffUpload[] }) {
  const { t } = useConsoleTexts();
  return (
    <div className="flex flex-col gap-2">
      <p className="text-xs text-ink-soft">{t('uploads.cutOff.text')}</p>
      <ul className="flex flex-col gap-1 text-xs">
        {uploads.map(({ volume, folder, names }) => (
          <li key={`${volume}/${folder}${names[0]}`} className="flex min-w-0 gap-2">
            <bdi className="min-w-0 flex-1 truncate" title={names.join(', ')}>
              {names.join(', ')}
            </bdi>
            <Link
              to="/volumes/$volume"
              params={{ volume }}
              search={folder === '' ? {} : { path: folder }}
              className="max-w-1/2 shrink-0 truncate text-accent hover:underline"
            >
              <bdi>{`${volume}/${folder}`}</bdi>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Number of names listed; of the others, only the count is shown. */
const CONFLICTS_SHOWN = 3;
const CHOICES = ['replace', 'keep-both', 'skip'] as const;

/** Asks whether to skip, replace or keep both where a file already exists. */
function UploadConflicts({ files }: { readonly files: readonly WaitingFile[] }) {
  const { t } = useConsoleTexts();
  const uploads = useUploadQueue();
  return (
    <div role="alert" className="flex flex-col gap-2 border-line border-t pt-2">
      <p className="font-medium">{t('uploads.conflicts', { count: files.length })}</p>
      <ul className="text-xs text-ink-soft">
        {files.slice(0, CONFLICTS_SHOWN).map(({ object }) => (
          <li key={object}>
            <MiddleText text={nameOf(object)} />
          </li>
        ))}
        {files.length > CONFLICTS_SHOWN && <li>{t('uploads.more', { count: files.length - CONFLICTS_SHOWN })}</li>}
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

/** Number of failures listed; of the others, only the count is shown. */
const FAILURES_SHOWN = 5;

interface UploadFailuresProps {
  readonly failed: readonly FailedUpload[];
  /** True once the uploads have ended, so that failed ones can be retried. */
  readonly isDone: boolean;
}

/** List of files that could not be uploaded, with the reasons. */
function UploadFailures({ failed, isDone }: UploadFailuresProps) {
  const { t } = useConsoleTexts();
  const uploads = useUploadQueue();
  return (
    <div role="alert" className="flex flex-col gap-1">
      <p className="flex items-center gap-2 text-bad">
        <CircleAlert aria-hidden className="size-4" />
        {t('uploads.failed', { count: failed.length })}
      </p>
      <ul className="text-xs text-ink-soft">
        {failed.slice(0, FAILURES_SHOWN).map(({ file, reason }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: failures are only appended
          <li key={index} className="break-words">
            {file ? <MiddleText text={nameOf(file.object)} /> : t('uploads.unreadable')} <bdi>{reason}</bdi>
          </li>
        ))}
        {failed.length > FAILURES_SHOWN && <li>{t('uploads.more', { count: failed.length - FAILURES_SHOWN })}</li>}
      </ul>
      {isDone && <Button onClick={() => uploads.retry()}>{t('uploads.retry')}</Button>}
    </div>
  );
}
