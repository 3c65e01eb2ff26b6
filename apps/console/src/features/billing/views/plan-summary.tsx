import type { Subscription } from '@berth/contract';
import { BerthError } from '@berth/kit';
import { Badge, type BadgeTone, Button, ErrorNote, useTell } from '@berth/ui';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useRead } from '../../../api/use-read.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { forecast, periodOf } from '../state/forecast.ts';
import { useMoney } from './use-money.ts';

const TONES: Readonly<Record<Subscription['status'], BadgeTone>> = {
  active: 'good',
  trialing: 'busy',
  past_due: 'bad',
  canceled: 'warn',
};

/** The current plan with its billing period and the cost so far. */
export function PlanSummary({ subscription }: { readonly subscription: Subscription }) {
  const { t, language } = useConsoleTexts();
  const { client } = useConsole();
  const money = useMoney();
  const tell = useTell();
  const plans = useRead(QUERY_KEYS.plans, (client, signal) => client.get('/v1/user/plans', { signal }));
  const takesPayments = plans.data?.some(({ is_sold }) => is_sold) === true;
  const portal = useMutation({
    mutationFn: () => client.post('/v1/user/subscription/portal'),
    onSuccess: ({ url }) => location.assign(url),
    onError: (error) => BerthError.is(error, 'not_available') && tell(t('billing.noPayments')),
  });
  const { plan, status, currency, usage, cancel_at_period_end: isEnding } = subscription;
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
  const from = day.format(Date.parse(subscription.current_period_start));
  // `current_period_end` is the first moment of the next period.
  const to = day.format(Date.parse(subscription.current_period_end) - 1);
  const expected = forecast(usage.cost, periodOf(subscription), Date.now());
  return (
    <section className="flex flex-col gap-3">
      <dl className="grid gap-4 rounded-md border border-line bg-raised p-4 sm:grid-cols-3">
        <Fact name={t('billing.plan')}>
          <span className="flex items-center gap-2">
            <bdi>{plan}</bdi>
            <Badge tone={TONES[status]} text={t(`billing.status.${status}`)} />
          </span>
        </Fact>
        <Fact name={t('billing.period')}>
          <span title={`${subscription.current_period_start} – ${subscription.current_period_end}`}>
            {t('billing.periodDays', { from, to })}
          </span>
          {isEnding && <p className="text-xs font-normal text-warn">{t('billing.ends')}</p>}
        </Fact>
        <Fact name={t('billing.costSoFar')}>
          {money({ cost: usage.cost, currency })}
          {expected !== undefined && (
            <p className="text-xs font-normal text-ink-soft">
              {t('billing.forecast', { value: money({ cost: expected, currency }) })}
            </p>
          )}
        </Fact>
      </dl>
      {takesPayments && (
        <Button className="self-start" onClick={() => portal.mutate()} isBusy={portal.isPending}>
          {t('billing.portal')}
        </Button>
      )}
      {portal.error && !BerthError.is(portal.error, 'not_available') && <ErrorNote error={portal.error} />}
    </section>
  );
}

/** A name and its value in a `<dl>`. */
function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      <dt className="text-xs text-ink-soft">{name}</dt>
      <dd className="text-base font-medium">{children}</dd>
    </div>
  );
}
