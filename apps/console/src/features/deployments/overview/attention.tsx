import type { DeploymentDetail } from '@berth/contract';
import { Badge, buttonClass } from '@berth/ui';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useRead } from '../../../api/use-read.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { useDeploysOf } from '../../deploys/views/use-deploys.ts';
import { useMetrics } from '../../metrics/use-metrics.ts';
import { sumUp } from './sum-up.ts';

/** Share of failed requests above which the overview warns. */
const ERROR_RATE_HIGH = 0.05;
/** Time in which a crash is still reported. */
const CRASH_RECENT_MS = 15 * 60_000;

/** List of what needs a person: missing variables, many errors, crashes, unverified domains. Renders nothing without any. */
export function Attention({
  deployment: { name, missing_env: missing = [] },
}: {
  readonly deployment: DeploymentDetail;
}) {
  const { t, formats } = useConsoleTexts();
  const { data } = useMetrics(name, {});
  const domains = useRead(QUERY_KEYS.domains(name), (client, signal) =>
    client.get('/v1/domain/list', { params: { query: { name } }, signal }),
  ).data;
  // The notice of a failed deploy already tells why its revision didn't start.
  const [newest] = useDeploysOf(name).data ?? [];
  const failed = newest?.status === 'failed' ? newest.revision : null;
  const crashes = useRead(
    [...QUERY_KEYS.deployment(name), 'crashes', failed],
    async (client, signal) => {
      const since = new Date(Date.now() - CRASH_RECENT_MS).toISOString();
      const others = failed === null ? '' : ` AND NOT resource.labels.revision_name="${failed}"`;
      const query = `log_name="system" AND severity>=ERROR${others}`;
      const body = { deployment_name: name, since, limit: 100, query };
      return (await client.post('/v1/deployment/logs', { body, signal })).logs;
    },
    { refetchInterval: 15_000 },
  ).data;
  const { requests, errors, errorRate } = sumUp(data?.metrics.points ?? []);
  const crash = crashes?.at(-1);
  const failures = t('overview.crashed', { count: crashes?.length ?? 0 });
  const pending = domains?.filter(({ status }) => status === 'pending') ?? [];
  const logs = (
    <Link to="/logs" search={{ deployment: name } as never} className={buttonClass()}>
      {t('deployment.logs')}
    </Link>
  );
  const toTab = (tab: 'domains' | 'environment', text: string) => (
    <Link to="/deployments/$name" params={{ name }} search={{ tab }} className={buttonClass()}>
      {text}
    </Link>
  );
  const items: readonly (readonly [key: string, tone: 'bad' | 'warn', title: string, text: ReactNode, ReactNode])[] = [
    ...missing.map(
      (key) =>
        [
          ...([`env ${key}`, 'bad', t('overview.missing'), t('overview.missing.text', { key })] as const),
          toTab('environment', t('overview.missing.set')),
        ] as const,
    ),
    ...(crash ? [['crash', 'bad', failures, <bdi key="text">{crash.message}</bdi>, logs] as const] : []),
    ...(errorRate !== null && errorRate >= ERROR_RATE_HIGH
      ? [
          [
            ...(['errors', 'bad', t('overview.errorsHigh')] as const),
            t('overview.errorsHigh.text', { errors: formats.number(errors), count: requests }),
            logs,
          ] as const,
        ]
      : []),
    ...pending.map(
      ({ domain }) =>
        [
          ...([domain, 'warn', t('overview.unverified'), <bdi key="text">{domain}</bdi>] as const),
          toTab('domains', t('deployment.domain.verify')),
        ] as const,
    ),
  ];
  if (items.length === 0) return null;
  return (
    <ul aria-label={t('overview.attention')} className="divide-y divide-ground overflow-hidden rounded-lg">
      {items.map(([key, tone, title, text, action]) => (
        <li
          key={key}
          className={`flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5 ${tone === 'bad' ? 'bg-bad-soft' : 'bg-warn-soft'}`}
        >
          <Badge tone={tone} text={title} />
          <span className="line-clamp-2 min-w-0 flex-1 basis-48 break-words">{text}</span>
          {action}
        </li>
      ))}
    </ul>
  );
}
