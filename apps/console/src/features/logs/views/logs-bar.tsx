import type { Severity } from '@berth/contract';
import { SEVERITIES } from '@berth/contract/severities';
import { Button, Select, Switch } from '@berth/ui';
import { ListTree, Search } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { CodeField } from '../../../components/code-field/code-field.tsx';
import { RangePicker } from '../../../components/time-range/range-picker.tsx';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { type FilterProblem, findUnbalanced } from '../state/build-filter.ts';
import { completeFilter, findWrittenValue } from '../state/complete-filter.ts';
import type { LogsView } from '../state/logs-view.ts';
import { DeploymentPicker } from './deployment-picker.tsx';
import { useKnownFields } from './use-known-fields.ts';

interface LogsBarProps {
  readonly view: LogsView;
  /** Names of the deployments to choose from. */
  readonly deployments: readonly string[];
  /** Error of the server about the view's filter. */
  readonly problem: FilterProblem | undefined;
  onChange(changes: Partial<LogsView>): void;
  /** Reloads the same view. */
  onRefresh(): void;
  readonly areFieldsOpen: boolean;
  onToggleFields(): void;
}

/** Toolbar of the logs page: deployment, time range, severity and filter. */
export function LogsBar(props: LogsBarProps) {
  const { view, deployments, problem, onChange, onRefresh, areFieldsOpen, onToggleFields } = props;
  const { t } = useConsoleTexts();
  const [filter, setFilter] = useState(view.filter);
  const [ownProblem, setOwnProblem] = useState<FilterProblem>();
  useEffect(() => setFilter(view.filter), [view.filter]);
  const [isWanted, setWanted] = useState(false);
  const [written, setWritten] = useState<ReturnType<typeof findWrittenValue>>();
  const known = useKnownFields(view, isWanted, written);
  const complete = useCallback((text: string, caret: number) => completeFilter(text, caret, known), [known]);
  const submit = () => {
    const unbalanced = findUnbalanced(filter);
    setOwnProblem(unbalanced);
    if (unbalanced) return;
    if (filter === view.filter) onRefresh();
    else onChange({ filter, entry: undefined });
  };
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <DeploymentPicker
          value={view.deployment}
          names={deployments}
          onChange={(deployment) => onChange({ deployment, entry: undefined })}
        />
        <RangePicker
          key={JSON.stringify(view.range)}
          range={view.range}
          onChange={(range) => onChange({ range, entry: undefined, ...(!('last' in range) && { isLive: false }) })}
        />
        <Select<Severity>
          label={t('logs.severity')}
          isLabelHidden
          className="w-48 max-sm:min-w-[40%] max-sm:flex-1"
          value={view.severity}
          options={SEVERITIES.map((severity) => ({
            value: severity,
            label: severity === 'DEFAULT' ? t('logs.severity.all') : t('logs.severity.from', { severity }),
          }))}
          onChange={(severity) => onChange({ severity, entry: undefined })}
        />
        <Button icon={ListTree} aria-pressed={areFieldsOpen} onClick={onToggleFields}>
          {t('logs.fields')}
        </Button>
        <Switch
          label={t('logs.live')}
          isOn={view.isLive}
          onChange={(isLive) =>
            onChange({ isLive, entry: undefined, ...(isLive && !('last' in view.range) && { range: { last: '1h' } }) })
          }
        />
      </div>
      <div className="flex items-start gap-2">
        <CodeField
          label={t('logs.filter')}
          value={filter}
          onChange={setFilter}
          onSubmit={submit}
          complete={complete}
          onFocus={() => setWanted(true)}
          onCaret={(text, caret) => setWritten(findWrittenValue(text, caret))}
          problem={ownProblem ?? (filter === view.filter ? problem : undefined)}
          placeholder={t('logs.filter.hint')}
        />
        <Button icon={Search} look="primary" onClick={submit}>
          <span className="max-sm:sr-only">{t('logs.search')}</span>
        </Button>
      </div>
    </div>
  );
}
