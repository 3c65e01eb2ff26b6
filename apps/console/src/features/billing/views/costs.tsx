import { formatCsv } from '@berth/client';
import { Button, CopyCommand, EmptyState, Select, Tabs } from '@berth/ui';
import { Download, Receipt } from 'lucide-react';
import { useState } from 'react';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useRead } from '../../../api/use-read.ts';
import { Loaded } from '../../../components/loaded.tsx';
import { saveFile } from '../../../components/save-file.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { COST_GROUPS, type CostGroup, costQuery, lastMonths } from '../state/cost-query.ts';
import { fillDays, toCostRows, toCsvRows, totalsOf } from '../state/cost-rows.ts';
import { CostTable } from './cost-table.tsx';
import { DayBars } from './day-bars.tsx';

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
  return (
    <section>
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <h2 className="me-auto text-base font-semibold">{t('billing.costs')}</h2>
        <CopyCommand
          cli={`npx berth cost --by ${group} --month ${month}`}
          http={{ method: 'POST', path: '/v1/sql', body: { query } }}
        />
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
