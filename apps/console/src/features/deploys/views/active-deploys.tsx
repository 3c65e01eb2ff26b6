import type { DeploySummary } from '@berth/contract';
import { Button, Time, useCommand } from '@berth/ui';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useRights } from '../../../api/use-rights.ts';
import { ConfirmAction } from '../../../components/confirm-action.tsx';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { useDeployRun, useDeployState } from '../state/deploy-run-context.ts';
import { DeployBadge } from './deploy-badge.tsx';
import { useDeployWords } from './use-deploy-words.ts';
import { useNow } from './use-now.ts';

interface ActiveDeploysProps {
  readonly deploys: readonly DeploySummary[];
  /** Shows only this deployment's deploys, without repeating its name. */
  readonly name?: string;
}

/** Lists the active deploys of every member. The deploy that this tab's panel shows has no follow button. */
export function ActiveDeploys({ deploys, name }: ActiveDeploysProps) {
  const { t } = useConsoleTexts();
  const deployRun = useDeployRun();
  const { can } = useRights();
  const words = useDeployWords();
  const shownId = useDeployState()?.deployId;
  const [cancelled, setCancelled] = useState<DeploySummary>();
  const nowMs = useNow(deploys.length > 0);
  useRefreshAtEnd(deploys);
  useCommand(
    deploys.length === 0
      ? undefined
      : {
          label: t('deploys.underWay'),
          cli: `npx berth deploys ${name === undefined ? '' : `${name} `}--active`,
          http: {
            method: 'GET',
            path: `/v1/deploys?${new URLSearchParams({ state: 'active', ...(name !== undefined && { name }) })}`,
          },
        },
  );
  if (deploys.length === 0) return null;
  return (
    <section aria-label={t('deploys.underWay')} className="mb-4 rounded-lg border border-line bg-sunken">
      <div className="flex min-h-10 items-center gap-2 border-line border-b px-3 py-1">
        <h2 className="me-auto font-semibold">{t('deploys.underWay')}</h2>
      </div>
      <ul className="max-h-64 divide-y divide-line overflow-y-auto">
        {deploys.map((deploy) => (
          <li key={deploy.deploy_id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
            <span className="sm:min-w-24">
              <DeployBadge deploy={deploy} />
            </span>
            <span className="min-w-0 flex-1 basis-56">
              <span className="flex flex-wrap items-baseline gap-x-2">
                {name === undefined && (
                  <Link
                    to="/deployments/$name"
                    params={{ name: deploy.deployment }}
                    className="max-w-full truncate font-medium hover:underline"
                  >
                    <bdi>{deploy.deployment}</bdi>
                  </Link>
                )}
                <span>{t(`deploys.kind.${deploy.kind}`)}</span>
                <span className="text-ink-soft">
                  <Time at={deploy.created_at} says={() => words.began(deploy, nowMs)} />
                </span>
              </span>
              <span className="block truncate text-ink-soft text-xs" title={deploy.message}>
                <bdi>{deploy.message}</bdi>
              </span>
            </span>
            <span className="flex gap-1">
              {shownId !== deploy.deploy_id && (
                <Button
                  aria-label={t('deploys.followNamed', { name: deploy.deployment })}
                  onClick={() => deployRun.follow(deploy.deployment, deploy.deploy_id)}
                >
                  {t('deploys.follow')}
                </Button>
              )}
              {can('deploy') && !deploy.is_cancel_requested && (
                <Button
                  look="quiet"
                  aria-label={t('deploys.cancelNamed', { name: deploy.deployment })}
                  onClick={() => setCancelled(deploy)}
                >
                  {t('deploys.cancel')}
                </Button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {cancelled && (
        <ConfirmAction
          title={t('deploys.cancel.title', { name: cancelled.deployment })}
          description={t('deploys.cancel.text')}
          action={t('deploys.cancel.action')}
          command={{
            cli: `npx berth cancel ${cancelled.deploy_id}`,
            http: { method: 'POST', path: `/v1/deploys/${cancelled.deploy_id}/cancel` },
          }}
          run={(client) =>
            client.post('/v1/deploys/{deploy_id}/cancel', { params: { path: { deploy_id: cancelled.deploy_id } } })
          }
          refreshes={[QUERY_KEYS.deploys]}
          onClose={() => setCancelled(undefined)}
        />
      )}
    </section>
  );
}

/** Refreshes the data that a deploy changes once the deploy is no longer active. */
function useRefreshAtEnd(deploys: readonly DeploySummary[]): void {
  const queries = useQueryClient();
  const before = useRef(0);
  useEffect(() => {
    if (deploys.length < before.current) {
      void queries.invalidateQueries({ queryKey: QUERY_KEYS.deployments });
      void queries.invalidateQueries({ queryKey: QUERY_KEYS.anyDeployment });
    }
    before.current = deploys.length;
  }, [deploys.length, queries]);
}
