import type { Deployment } from '@berth/contract';
import { useQueryClient } from '@tanstack/react-query';
import { FolderUp } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { useDrop } from '../../sources/views/use-drop.ts';
import { useDeployRun, useDeployState } from '../state/deploy-run-context.ts';
import { DeployContext } from './deploy-context.ts';

const DeployDialog = lazy(async () => ({ default: (await import('./deploy-dialog.tsx')).DeployDialog }));
const DeployPanel = lazy(async () => ({ default: (await import('./deploy-panel.tsx')).DeployPanel }));

interface DeployHostProps {
  readonly children: ReactNode;
  /** Shown beside this tab's deploy. */
  readonly aside?: ReactNode;
}

/**
 * Accepts folders dropped anywhere on its children, and shows this tab's deploy below them. The deploy sticks to the
 * bottom of the window but has its own room at the end of the page, so that everything can be scrolled clear of it.
 */
export function DeployHost({ children, aside }: DeployHostProps) {
  const deployRun = useDeployRun();
  const state = useDeployState();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<{ readonly target?: Deployment | undefined; readonly round: number }>();
  const { isOver, source, error, take } = useDrop();
  const choose = useCallback(
    (target?: Deployment) => {
      take(undefined);
      setAsked({ target, round: Date.now() });
    },
    [take],
  );
  useEffect(() => deployRun.resume(), [deployRun]);
  const phase = state?.phase;
  useEffect(() => {
    // The list of active deploys must agree with the panel, so it is refreshed at each change of phase.
    if (phase !== undefined) void queries.invalidateQueries({ queryKey: QUERY_KEYS.deploys });
    if (phase === 'done' || phase === 'failed') {
      void queries.invalidateQueries({ queryKey: QUERY_KEYS.deployments });
      void queries.invalidateQueries({ queryKey: QUERY_KEYS.anyDeployment });
    }
  }, [phase, queries]);
  const close = () => {
    setAsked(undefined);
    take(undefined);
  };
  return (
    <DeployContext value={choose}>
      <div className="min-w-0 flex-1">{children}</div>
      {isOver && <DropVeil />}
      <div
        data-dock
        className="pointer-events-none sticky bottom-3 z-30 mt-4 flex flex-wrap items-end justify-end gap-2 *:pointer-events-auto empty:hidden"
      >
        {aside}
        <Suspense>{state && state.phase !== 'refused' && <DeployPanel state={state} />}</Suspense>
      </div>
      <Suspense>
        {(asked || source || error !== undefined) && (
          <DeployDialog
            key={asked?.round ?? 'dropped'}
            target={asked?.target}
            source={source}
            error={error}
            onSource={take}
            onClose={close}
          />
        )}
      </Suspense>
    </DeployContext>
  );
}

/** Overlay shown while files are dragged over the page. */
function DropVeil() {
  const { t } = useConsoleTexts();
  return (
    <div className="pointer-events-none fixed inset-0 z-50 flex items-center justify-center bg-ground/80 p-4">
      <div className="flex w-full max-w-md flex-col items-center gap-2 rounded-xl border-2 border-accent border-dashed bg-raised px-6 py-12 text-center">
        <FolderUp aria-hidden className="size-8 text-accent" strokeWidth={1.5} />
        <p className="font-semibold text-base">{t('deploy.drop')}</p>
        <p className="text-ink-soft">{t('deploy.dropHint')}</p>
      </div>
    </div>
  );
}
