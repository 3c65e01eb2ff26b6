import { Button, classNames, IconButton } from '@berth/ui';
import { useQueryClient } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { useEffect, useSyncExternalStore } from 'react';
import { QUERY_KEYS } from '../../../../api/query-keys.ts';
import { useConsoleTexts } from '../../../../text/use-console-texts.ts';
import { useDeployState } from '../../../deploys/state/deploy-run-context.ts';
import type { Uploads } from '../state/upload-queue.ts';
import { useUploadQueue } from '../state/upload-queue-context.ts';
import { CutOffUploads } from './cut-off-uploads.tsx';
import { UploadConflicts } from './upload-conflicts.tsx';
import { UploadFailures } from './upload-failures.tsx';
import { UploadRow } from './upload-row.tsx';

/** Progress of the tab's uploads, at the foot of every page. */
export function UploadTray() {
  const { t } = useConsoleTexts();
  const uploads = useUploadQueue();
  const queries = useQueryClient();
  const state = useSyncExternalStore(uploads.subscribe, () => uploads.state);
  const hasDeploy = useDeployState() !== undefined;
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
      className={classNames(
        'pop fixed inset-x-3 bottom-3 z-30 flex max-h-[70dvh] flex-col gap-2 overflow-y-auto p-3 sm:start-auto sm:w-96',
        // The tray sits beside the deploy panel, and on phones above it.
        hasDeploy && 'max-sm:top-16 max-sm:bottom-auto sm:end-[32rem]',
      )}
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
