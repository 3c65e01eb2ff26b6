import { Badge, type BadgeTone, Button, buttonClass, classNames, ErrorNote, IconButton } from '@berth/ui';
import { useMutation } from '@tanstack/react-query';
import { ChevronDown, ChevronUp, ExternalLink, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import type { DeployPhase, DeployState } from '../state/create-deploy-run.ts';
import { useDeployRun } from '../state/deploy-run-context.ts';
import { DeployLog } from './deploy-log.tsx';
import { Failure } from './failure.tsx';
import { StageList } from './stage-list.tsx';

const TONES: Readonly<Record<DeployPhase, BadgeTone>> = {
  sending: 'busy',
  running: 'busy',
  done: 'good',
  failed: 'bad',
  lost: 'warn',
  refused: 'bad',
};

/** Panel of this tab's deploy, shown on every page. Collapses to one line when the deploy is ready. */
export function DeployPanel({ state }: { readonly state: DeployState }) {
  const { t } = useConsoleTexts();
  const deployRun = useDeployRun();
  const [chosen, setChosen] = useState<boolean>();
  const cancel = useMutation({ mutationFn: () => deployRun.cancel() });
  const { name, phase, url, failure, error } = state;
  const isUnderWay = phase === 'sending' || phase === 'running';
  const isSmall = chosen ?? phase === 'done';
  useEffect(() => {
    if (phase === 'sending') setChosen(undefined);
  }, [phase]);
  const openLink = url !== undefined && (
    <a href={url} target="_blank" rel="noreferrer" className={buttonClass('primary')}>
      <ExternalLink aria-hidden className="size-4" />
      {t('deployment.open')}
    </a>
  );
  return (
    <section
      aria-label={t('deploy.panel', { name })}
      className={classNames(
        'pop flex max-h-[45dvh] w-full flex-col sm:max-h-[70dvh]',
        isSmall ? 'sm:w-auto sm:max-w-full' : 'sm:w-[30rem]',
      )}
    >
      <div className={classNames('flex items-center gap-2 px-4 py-2', !isSmall && 'border-line border-b')}>
        <h2 className="min-w-0 flex-1 truncate font-semibold" dir="auto" title={name}>
          {t('deploy.panel', { name })}
        </h2>
        <span role="status">
          <Badge tone={TONES[phase]} text={t(`deploy.phase.${phase}`)} />
        </span>
        {isSmall && openLink}
        <IconButton
          icon={isSmall ? ChevronUp : ChevronDown}
          label={isSmall ? t('deploy.enlarge') : t('deploy.minimize')}
          aria-expanded={!isSmall}
          onClick={() => setChosen(!isSmall)}
        />
        {!isUnderWay && <IconButton icon={X} label={t('parts.close')} onClick={() => deployRun.dismiss()} />}
      </div>
      {!isSmall && (
        <div className="flex min-h-0 flex-col gap-3 overflow-y-auto p-4">
          <DeploySteps state={state} />
          {state.isReconnecting && <p className="text-ink-soft">{t('deploy.reconnecting')}</p>}
          {state.lineCount > 0 && <DeployLog lines={state.lines} lineCount={state.lineCount} />}
          {failure && <Failure failure={failure} />}
          {phase === 'lost' && <ErrorNote error={error} />}
          {cancel.error && <ErrorNote error={cancel.error} />}
          <div className="flex flex-wrap items-center justify-end gap-2">
            {openLink}
            {phase === 'lost' && (
              <Button look="primary" onClick={() => deployRun.resume()}>
                {t('deploy.follow')}
              </Button>
            )}
            {isUnderWay && (
              <Button isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
                {phase === 'sending' ? t('deploy.cancelUpload') : t('deploy.cancel')}
              </Button>
            )}
          </div>
        </div>
      )}
    </section>
  );
}

/** Upload and stages of a deploy, each with its message and duration. */
function DeploySteps({ state: { sent, stages, url } }: { readonly state: DeployState }) {
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
