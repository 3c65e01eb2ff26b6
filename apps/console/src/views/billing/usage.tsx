import type { PeriodUsage } from '@berth/contract';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { FactList } from './fact-list.tsx';

/** What was used since the period began. */
export function Usage({ usage }: { readonly usage: PeriodUsage }) {
  const { t, formats } = useConsoleTexts();
  const number = (value: number) => formats.number(value, { maximumFractionDigits: 2 });
  return (
    <FactList
      title={t('billing.usage')}
      facts={[
        [t('billing.usage.cpu'), t('billing.unit.vcpuSeconds', { value: number(usage.cpu_seconds) })],
        [t('billing.usage.memory'), t('billing.unit.gibSeconds', { value: number(usage.memory_gib_seconds) })],
        [t('billing.usage.requests'), number(usage.requests)],
        [t('billing.usage.egress'), formats.bytes(usage.egress_bytes)],
        [t('billing.usage.storage'), t('billing.unit.gibMonths', { value: number(usage.storage_gib_months) })],
        [t('billing.usage.builds'), t('billing.unit.seconds', { value: number(usage.build_seconds) })],
      ]}
    />
  );
}
