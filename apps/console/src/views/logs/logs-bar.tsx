import type { Severity } from '@berth/contract';
import { Button, Select, Switch } from '@berth/web';
import { useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useConsole } from '../../state/console-context.ts';
import { type FilterProblem, findUnbalanced } from '../../state/logs/build-filter.ts';
import { completeFilter } from '../../state/logs/complete-filter.ts';
import { payloadSql, readKnownFields } from '../../state/logs/log-queries.ts';
import { type LogsView, rangeMs, SPANS, type Span } from '../../state/logs/logs-view.ts';
import { SEVERITY_ORDER } from '../../state/logs/severities.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { CodeField } from '../code/code-field.tsx';
import { DeploymentPicker } from './deployment-picker.tsx';

export interface LogsBarProps {
  readonly view: LogsView;
  /** Names that can be chosen. */
  readonly deployments: readonly string[];
  /** What the server says is wrong with the filter of the view. */
  readonly problem: FilterProblem | undefined;
  onChange(changes: Partial<LogsView>): void;
  /** The same view once more. */
  onRefresh(): void;
}

/** Seven days of payloads tell the fields that a log has. */
const KNOWN_MS = SPANS['7d'];

/** What is shown of the log: whose, when, how severe, and what fits a filter. */
export function LogsBar({ view, deployments, problem, onChange, onRefresh }: LogsBarProps) {
  const { t, formats } = useConsoleTexts();
  const { client } = useConsole();
  const [filter, setFilter] = useState(view.filter);
  const [ownProblem, setOwnProblem] = useState<FilterProblem>();
  useEffect(() => setFilter(view.filter), [view.filter]);
  const { data: known } = useQuery({
    queryKey: ['log-fields', view.deployment],
    queryFn: async ({ signal }) =>
      readKnownFields(await client.sql(payloadSql(view.deployment, Date.now() - KNOWN_MS, Date.now()), { signal })),
    staleTime: 300_000,
    enabled: filter !== '',
  });
  const submit = () => {
    const unbalanced = findUnbalanced(filter);
    setOwnProblem(unbalanced);
    if (unbalanced) return;
    if (filter === view.filter) onRefresh();
    else onChange({ filter, entry: undefined });
  };
  const { range } = view;
  const custom = 'last' in range ? '' : describeRange();
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <DeploymentPicker
          value={view.deployment}
          names={deployments}
          onChange={(deployment) => onChange({ deployment, entry: undefined })}
        />
        <Select
          label={t('logs.range')}
          isLabelHidden
          className="w-48 max-sm:min-w-0 max-sm:flex-1"
          value={'last' in range ? range.last : 'custom'}
          options={[
            ...(custom === '' ? [] : [{ value: 'custom' as const, label: custom }]),
            ...(Object.keys(SPANS) as Span[]).map((span) => ({ value: span, label: t(`logs.range.${span}`) })),
          ]}
          onChange={(span) => span !== 'custom' && onChange({ range: { last: span }, entry: undefined })}
        />
        <Select<Severity>
          label={t('logs.severity')}
          isLabelHidden
          className="w-48 max-sm:min-w-0 max-sm:flex-1"
          value={view.severity}
          options={SEVERITY_ORDER.map((severity) => ({
            value: severity,
            label: severity === 'DEFAULT' ? t('logs.severity.all') : t('logs.severity.from', { severity }),
          }))}
          onChange={(severity) => onChange({ severity, entry: undefined })}
        />
        <Switch
          label={t('logs.live')}
          isOn={view.isLive}
          onChange={(isLive) =>
            onChange({ isLive, entry: undefined, ...(isLive && !('last' in range) && { range: { last: '1h' } }) })
          }
        />
      </div>
      <div className="flex items-start gap-2">
        <CodeField
          label={t('logs.filter')}
          isOneLine
          value={filter}
          onChange={setFilter}
          onSubmit={submit}
          complete={(text, caret) => completeFilter(text, caret, known ?? new Map())}
          problem={ownProblem ?? (filter === view.filter ? problem : undefined)}
          placeholder={t('logs.filter.hint')}
        />
        <Button look="primary" onClick={submit}>
          <Search aria-hidden className="size-4" />
          <span className="max-sm:sr-only">{t('logs.run')}</span>
        </Button>
      </div>
    </div>
  );

  function describeRange(): string {
    const { fromMs, toMs } = rangeMs(range, 0);
    return `${formats.time(fromMs)} – ${formats.time(toMs)}`;
  }
}
