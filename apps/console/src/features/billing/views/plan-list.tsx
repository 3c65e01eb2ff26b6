import type { Plan } from '@berth/contract';
import { parseMemory } from '@berth/contract/resources';
import { BerthError } from '@berth/kit';
import { Badge, Button, type Column, CopyCode, ErrorNote, quote, VirtualTable } from '@berth/ui';
import { useMutation } from '@tanstack/react-query';
import { useConsole } from '../../../api/console-context.ts';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useRead } from '../../../api/use-read.ts';
import { useUser } from '../../../api/use-rights.ts';
import { Loaded } from '../../../components/loaded.tsx';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

/** Table of the operator's plans with their limits, and how to get one. */
export function PlanList() {
  const { t, formats } = useConsoleTexts();
  const { client } = useConsole();
  const { data: user } = useUser();
  const plans = useRead(QUERY_KEYS.plans, (client, signal) => client.get('/v1/user/plans', { signal }));
  const { data } = plans;
  const buy = useMutation({
    mutationFn: (plan: string) => client.post('/v1/user/subscription/checkout', { body: { plan } }),
    onSuccess: ({ url }) => location.assign(url),
  });
  const isSold = data?.some(({ is_sold }) => is_sold) === true;
  const columns: readonly Column<Plan>[] = [
    {
      title: t('billing.plan'),
      track: 'minmax(0,1.5fr)',
      cell: ({ name, is_current }) => (
        <span className="flex items-center gap-2">
          <bdi className={is_current ? 'truncate font-semibold' : 'truncate'}>{name}</bdi>
          {is_current && <Badge tone="good" text={t('billing.plan.current')} />}
        </span>
      ),
    },
    {
      title: t('nav.deployments'),
      cell: ({ limits }) => formats.number(limits.deployments),
    },
    {
      title: t('nav.volumes'),
      isWideOnly: true,
      cell: ({ limits }) => formats.number(limits.volumes),
    },
    {
      title: t('billing.limit.storage'),
      cell: ({ limits }) => formats.bytes(limits.storage_bytes),
    },
    {
      title: t('billing.plan.instances'),
      isWideOnly: true,
      cell: ({ limits }) => formats.number(limits.max_instances),
    },
    {
      title: t('billing.plan.memory'),
      isWideOnly: true,
      cell: ({ limits }) => formats.bytes(parseMemory(limits.memory) ?? 0),
    },
    {
      title: t('billing.limit.logs'),
      isWideOnly: true,
      cell: ({ limits }) => t('billing.limit.days', { count: limits.log_retention_days }),
    },
    ...(isSold ? [choose()] : []),
  ];
  const other = data?.find(({ is_current }) => !is_current)?.name ?? 'team';
  return (
    <section>
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <h2 className="me-auto text-base font-semibold">{t('billing.plans')}</h2>
      </div>
      {buy.error && (
        <ErrorNote error={BerthError.is(buy.error, 'not_available') ? t('billing.noPayments') : buy.error} />
      )}
      <Loaded query={plans} rows={2}>
        {(rows) => (
          <VirtualTable label={t('billing.plans')} rows={rows} columns={columns} rowKey={({ name }) => name} />
        )}
      </Loaded>
      {data && !isSold && (
        <div className="mt-3 flex flex-col items-start gap-2">
          <p className="text-ink-soft">{t('billing.plans.operator')}</p>
          <CopyCode code={`npx berth admin account plan ${quote(user?.account.name ?? 'acme')} ${other}`} />
        </div>
      )}
    </section>
  );

  function choose(): Column<Plan> {
    return {
      title: t('billing.buy'),
      isTitleHidden: true,
      track: '8rem',
      cell: ({ name, is_sold, is_current }) =>
        is_sold &&
        !is_current && (
          <Button isBusy={buy.isPending && buy.variables === name} onClick={() => buy.mutate(name)}>
            {t('billing.buy')}
          </Button>
        ),
    };
  }
}
