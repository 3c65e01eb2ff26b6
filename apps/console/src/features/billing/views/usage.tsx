import type { Subscription } from '@berth/contract';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { forecast, periodOf } from '../state/forecast.ts';
import { FactList } from './fact-list.tsx';

/** Usage since the start of the billing period, with a forecast for its end. */
export function Usage({ subscription }: { readonly subscription: Subscription }) {
  const { t, formats } = useConsoleTexts();
  const { usage } = subscription;
  const number = (value: number) => formats.number(value, { maximumFractionDigits: 2 });
  const unit = (name: 'vcpuSeconds' | 'gibSeconds' | 'gibMonths') => (value: number) =>
    t(`billing.unit.${name}`, { value: number(value) });
  const row = (amount: number, say: (value: number) => string) => {
    const expected = forecast(amount, periodOf(subscription), Date.now());
    return (
      <span className="flex flex-col">
        <span>{say(amount)}</span>
        {expected !== undefined && amount > 0 && (
          <span className="text-xs text-ink-soft">{t('billing.forecast', { value: say(expected) })}</span>
        )}
      </span>
    );
  };
  return (
    <FactList
      title={t('billing.usage')}
      facts={[
        [t('billing.usage.cpu'), row(usage.cpu_seconds, unit('vcpuSeconds'))],
        [t('billing.usage.memory'), row(usage.memory_gib_seconds, unit('gibSeconds'))],
        [t('billing.usage.requests'), row(usage.requests, (value) => number(Math.round(value)))],
        [t('billing.usage.egress'), row(usage.egress_bytes, formats.bytes)],
        [t('billing.usage.storage'), row(usage.storage_gib_months, unit('gibMonths'))],
        [t('billing.usage.builds'), row(usage.build_seconds, (value: number) => formats.span(value, 's', 2))],
      ]}
    />
  );
}
