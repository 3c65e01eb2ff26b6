import { MiddleText, VirtualTable } from '@berth/ui';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import type { CostGroup } from '../state/cost-query.ts';
import { type CostRow, shareOf, totalsOf } from '../state/cost-rows.ts';
import { ShareBar } from './share-bar.tsx';
import { useMoney } from './use-money.ts';

/** Props of {@link CostTable}. */
export interface CostTableProps {
  readonly group: CostGroup;
  readonly rows: readonly CostRow[];
}

/** Table of costs per day, deployment or SKU, with totals. */
export function CostTable({ group, rows }: CostTableProps) {
  const { t } = useConsoleTexts();
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
          key: 'name',
          title: t(`billing.column.${group}`),
          track: 'minmax(0,1fr)',
          cell: ({ name, isTotal }) => (
            <span className={weight(isTotal)}>{isTotal ? name : <MiddleText text={name} />}</span>
          ),
        },
        {
          key: 'share',
          title: t('billing.column.share'),
          track: 'minmax(0,1fr)',
          isWideOnly: true,
          cell: (row) => !row.isTotal && <ShareBar ratio={shareOf(row, rows)} />,
        },
        {
          key: 'cost',
          title: t('billing.column.cost'),
          track: '10rem',
          cell: (row) => <span className={weight(row.isTotal)}>{money(row)}</span>,
        },
      ]}
    />
  );
}
