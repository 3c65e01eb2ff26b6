import type { DeploySummary } from '@berth/contract';
import { MiddleText, NameWithId, Time, useCommand } from '@berth/ui';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useRead } from '../../../api/use-read.ts';
import { Loaded } from '../../../components/loaded.tsx';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { readDeployReport } from '../state/deploy-report.ts';
import { DeployBadge } from './deploy-badge.tsx';
import { DeployLog } from './deploy-log.tsx';
import { Failure } from './failure.tsx';
import { StageList } from './stage-list.tsx';
import { useDeployWords } from './use-deploy-words.ts';

interface DeployRowProps {
  readonly deploy: DeploySummary;
  readonly isOpen: boolean;
  onToggle(): void;
}

/** A finished deploy with its result, time and author; expanded, with its report. */
export function DeployRow({ deploy, isOpen, onToggle }: DeployRowProps) {
  const { t } = useConsoleTexts();
  const words = useDeployWords();
  const Arrow = isOpen ? ChevronDown : ChevronRight;
  const id = `deploy-${deploy.deploy_id}`;
  return (
    <li className="border-line border-b">
      <h2>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={onToggle}
          className="grid w-full grid-cols-[1rem_6rem_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-0.5 px-1 py-2 text-start hover:bg-hover md:grid-cols-[1rem_6rem_8rem_minmax(0,1fr)_minmax(0,1fr)_auto]"
        >
          <Arrow aria-hidden className="size-4 text-ink-soft rtl:-scale-x-100" />
          <span>
            <DeployBadge deploy={deploy} />
          </span>
          <span className="truncate font-medium">{t(`deploys.kind.${deploy.kind}`)}</span>
          <span className="inline-flex min-w-0 font-mono text-xs max-md:hidden">
            {deploy.revision !== null && <MiddleText text={deploy.revision} />}
          </span>
          <span className="text-ink-soft max-md:text-xs md:truncate max-md:col-span-2 max-md:col-start-3 max-md:row-start-2">
            <Time at={deploy.created_at} says={() => words.began(deploy, Date.now())} />
          </span>
          <span className="text-ink-soft max-md:col-start-4 max-md:row-start-1">{words.took(deploy, Date.now())}</span>
        </button>
      </h2>
      {isOpen && (
        <div id={id} className="px-1 pt-1 pb-4 md:ps-8">
          <DeployReportView deploy={deploy} />
        </div>
      )}
    </li>
  );
}

/** Stages, output and error of a finished deploy. */
function DeployReportView({ deploy: { deploy_id: id, revision, commit } }: { readonly deploy: DeploySummary }) {
  const { t } = useConsoleTexts();
  const report = useRead(
    QUERY_KEYS.deployReport(id),
    (client, signal) => readDeployReport(client.followDeploy(id, { signal })),
    { staleTime: Number.POSITIVE_INFINITY },
  );
  useCommand({ label: id, cli: `npx berth follow ${id}`, http: { method: 'GET', path: `/v1/deploys/${id}/events` } });
  return (
    <Loaded query={report} rows={3}>
      {({ stages, lines, failure }) => (
        <div className="flex flex-col gap-3">
          {failure && <Failure failure={failure} />}
          <StageList stages={stages} />
          {lines.length > 0 ? (
            <DeployLog lines={lines} lineCount={lines.length} isComplete />
          ) : (
            <p className="text-ink-soft">{t('deploys.noOutput')}</p>
          )}
          <div className="flex flex-wrap items-center justify-end gap-x-4">
            <span className="flex min-w-0 flex-wrap gap-x-4 text-ink-soft text-xs me-auto">
              {commit && (
                <NameWithId id={commit.sha}>
                  {commit.branch} <bdi>{commit.subject}</bdi>
                </NameWithId>
              )}
              {revision !== null && <NameWithId id={revision}>{revision}</NameWithId>}
              <NameWithId id={id}>{id}</NameWithId>
            </span>
          </div>
        </div>
      )}
    </Loaded>
  );
}
