import { MiddleText, VirtualTable } from '@berth/ui';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import type { CostGroup } from '../state/cost-query.ts';
import { type CostRow, shareOf, totalsOf } from '../state/cost-rows.ts';
import { Meter } from './meter.tsx';
import { useMoney } from './use-money.ts';

/** Table of costs per day, deployment or SKU, with totals. */
export function CostTable({ group, rows }: { readonly group: CostGroup; readonly rows: readonly CostRow[] }) {
  const { t, formats } = useConsoleTexts();
  const money = useMoney();
  const totals = totalsOf(rows).map((row) => ({ ...row, name: t('billing.total'), isTotal: true }));
  const all = [...rows.map((row) => ({ ...row, isTotal: false })), ...totals];
  const weight = (isTotal: boolean) => (isTotal ? 'font-semibold' : '');
  return (
    <VirtualTable
      label={t('billing.costs')}
      rows={all}
      rowKey={({ name, currency, isTotal }) => `${isTotal} ${currency} ${name}`}
      columns={[
        {
          title: t(`billing.column.${group}`),
          track: 'minmax(0,1fr)',
          cell: ({ name, isTotal }) => (
            <span className={weight(isTotal)}>{isTotal ? name : <MiddleText text={name} />}</span>
          ),
        },
        {
          title: t('billing.column.share'),
          track: 'minmax(0,1fr)',
          isWideOnly: true,
          cell: (row) =>
            !row.isTotal && (
              <span className="flex items-center gap-2">
                <Meter ratio={shareOf(row, rows)} className="h-1.5 max-w-48" />
                <span className="w-12 shrink-0 text-end text-xs text-ink-soft">
                  {formats.number(shareOf(row, rows), { style: 'percent', maximumFractionDigits: 1 })}
                </span>
              </span>
            ),
        },
        {
          title: t('billing.column.cost'),
          track: '10rem',
          cell: (row) => <span className={weight(row.isTotal)}>{money(row)}</span>,
        },
      ]}
    />
  );
}
