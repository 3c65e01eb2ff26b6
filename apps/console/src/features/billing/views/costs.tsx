import { formatCsv } from '@berth/client';
import { Button, EmptyState, MiddleText, Select, saveFile, Tabs, useCommand, VirtualTable } from '@berth/ui';
import { Download, Receipt } from 'lucide-react';
import { useState } from 'react';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useRead } from '../../../api/use-read.ts';
import { Loaded } from '../../../components/loaded.tsx';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { COST_GROUPS, type CostGroup, costQuery, lastMonths } from '../state/cost-query.ts';
import { type CostRow, fillDays, shareOf, toCostRows, toCsvRows, totalsOf } from '../state/cost-rows.ts';
import { Meter } from './meter.tsx';
import { useMoney } from './use-money.ts';

/** Number of months that can be chosen. */
const MONTHS = 12;

/** Costs of a month by day, deployment or SKU, from a single SQL query. */
export function Costs() {
  const { t, language } = useConsoleTexts();
  const months = lastMonths(Date.now(), MONTHS);
  const [month, setMonth] = useState(months[0] as string);
  const [group, setGroup] = useState<CostGroup>('day');
  const query = costQuery(group, month);
  const costs = useRead(QUERY_KEYS.costs(group, month), async (client, signal) =>
    toCostRows(group, await client.post('/v1/sql', { body: { query }, signal })),
  );
  const { data = [] } = costs;
  const name = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const content = (
    <Loaded
      query={costs}
      rows={6}
      empty={
        <EmptyState
          icon={Receipt}
          title={t('billing.empty.title')}
          text={t('billing.empty.text')}
          command={`npx berth cost --month ${month}`}
        />
      }
    >
      {(rows) => (
        <>
          {group === 'day' &&
            totalsOf(rows).map(({ currency }) => <DayBars key={currency} days={fillDays(month, rows, currency)} />)}
          <CostTable group={group} rows={rows} />
        </>
      )}
    </Loaded>
  );
  useCommand({
    label: t('billing.costs'),
    cli: `npx berth cost --by ${group} --month ${month}`,
    http: { method: 'POST', path: '/v1/sql', body: { query } },
  });
  return (
    <section>
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <h2 className="me-auto text-base font-semibold">{t('billing.costs')}</h2>
        <Button
          icon={Download}
          disabled={data.length === 0}
          onClick={() => saveFile(`costs-${month}-${group}.csv`, `${formatCsv(toCsvRows(group, data))}\n`, 'text/csv')}
        >
          {t('billing.csv')}
        </Button>
        <Select
          label={t('billing.month')}
          isLabelHidden
          className="w-44"
          value={month}
          onChange={setMonth}
          options={months.map((value) => ({ value, label: name.format(Date.parse(value)) }))}
        />
      </div>
      <Tabs<CostGroup>
        label={t('billing.costs')}
        value={group}
        onChange={setGroup}
        tabs={COST_GROUPS.map((value) => ({ value, label: t(`billing.by.${value}`), content }))}
      />
    </section>
  );
}

/** Table of costs per day, deployment or SKU, with totals. */
function CostTable({ group, rows }: { readonly group: CostGroup; readonly rows: readonly CostRow[] }) {
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
          cell: ({ name, isTotal }) => (
            <span className={weight(isTotal)}>{isTotal ? name : <MiddleText text={name} />}</span>
          ),
        },
        {
          title: t('billing.column.share'),
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
          isNumeric: true,
          cell: (row) => <span className={weight(row.isTotal)}>{money(row)}</span>,
        },
      ]}
    />
  );
}

const HEIGHT = 40;
/** Width of a bar relative to a day; the rest is the gap. */
const BAR = 0.7;

/** Bar chart of the costs per day. The table below has the same figures as text. */
function DayBars({ days }: { readonly days: readonly CostRow[] }) {
  const { t } = useConsoleTexts();
  const money = useMoney();
  const most = days.reduce((best, day) => (day.cost > best.cost ? day : best), days[0] as CostRow);
  const [total] = totalsOf(days);
  if (!total || most.cost <= 0) return null;
  const label = t('billing.plot', { total: money(total), day: most.name, most: money(most) });
  return (
    <figure className="mb-4">
      <figcaption className="mb-1 text-xs text-ink-soft" aria-hidden>
        {money(most)}
      </figcaption>
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${days.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-40 w-full border-y border-line rtl:-scale-x-100"
      >
        {days.map((day, index) => {
          const height = (day.cost / most.cost) * HEIGHT;
          return (
            <g key={day.name}>
              <title>{`${day.name}: ${money(day)}`}</title>
              <rect x={index} y={0} width={1} height={HEIGHT} className="fill-transparent hover:fill-hover" />
              <rect
                x={index + (1 - BAR) / 2}
                y={HEIGHT - height}
                width={BAR}
                height={height}
                className="pointer-events-none fill-accent-ground"
              />
            </g>
          );
        })}
      </svg>
      <div aria-hidden className="mt-1 flex justify-between text-xs text-ink-soft">
        <bdi>{days[0]?.name}</bdi>
        <bdi>{days.at(-1)?.name}</bdi>
      </div>
    </figure>
  );
}
