import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import type { DeployState } from '../state/create-deploy-run.ts';
import { StageList } from './stage-list.tsx';

/** Upload and stages of a deploy, each with its message and duration. */
export function DeploySteps({ state: { sent, stages, url } }: { readonly state: DeployState }) {
  const { t, formats } = useConsoleTexts();
  return (
    <>
      {sent && stages.length === 0 && (
        <div className="flex flex-col gap-1">
          <progress
            max={sent.totalBytes}
            value={sent.sentBytes}
            aria-label={t('deploy.phase.sending')}
            className="h-1.5 w-full accent-accent-ground"
          />
          <span className="text-ink-soft text-xs">
            {t('deploy.sent', { sent: formats.bytes(sent.sentBytes), total: formats.bytes(sent.totalBytes) })}
          </span>
        </div>
      )}
      {stages.length > 0 && <StageList stages={stages} />}
      {url !== undefined && (
        <a href={url} target="_blank" rel="noreferrer" dir="ltr" className="truncate text-accent hover:underline">
          {url}
        </a>
      )}
    </>
  );
}
