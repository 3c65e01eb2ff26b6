import { Button, EmptyState, ErrorNote, IconButton, quote, Skeleton, saveFile } from '@berth/ui';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download, RefreshCw, ScrollText } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useDeployments } from '../../../api/shared-lists.ts';
import { PageHead } from '../../../components/page-head.tsx';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { readFilterProblem } from '../state/build-filter.ts';
import { filterBy } from '../state/filter-by.ts';
import { type LogsView, parseLogsView, toLogsSearch } from '../state/logs-view.ts';
import { toCommands } from '../state/to-cli.ts';
import { FieldsPanel } from './fields-panel.tsx';
import { LogsBar } from './logs-bar.tsx';
import { LogsResult } from './logs-result.tsx';
import { useLogFeed } from './use-log-feed.ts';

/** Page of a deployment's log. The address holds the whole view. */
export function LogsPage() {
  const { t } = useConsoleTexts();
  const search = useSearch({ strict: false });
  const given = parseLogsView(search);
  const { data, error, refetch } = useDeployments();
  if (!data && error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  const names = (data ?? []).map(({ name }) => name).toSorted();
  const deployment = given.deployment || names[0];
  if (!data || deployment === undefined) {
    return (
      <>
        <PageHead title={t('nav.logs')} />
        {data ? (
          <EmptyState
            icon={ScrollText}
            title={t('logs.none.title')}
            text={t('logs.none.text')}
            command="npx berth deploy ./my-project"
          />
        ) : (
          <Skeleton rows={12} />
        )}
      </>
    );
  }
  // Logs of a deleted deployment are still readable, so its name stays a choice.
  const choices = names.includes(deployment) ? names : [deployment, ...names];
  return <LogsOf view={{ ...given, deployment }} deployments={choices} />;
}

function LogsOf({ view, deployments }: { readonly view: LogsView; readonly deployments: readonly string[] }) {
  const { t } = useConsoleTexts();
  const navigate = useNavigate();
  const [refreshes, setRefreshes] = useState(0);
  const [areFieldsOpen, setFieldsOpen] = useState(false);
  // Expanding an entry doesn't start a new feed. The entry of a link only decides where the first feed starts.
  const key = JSON.stringify([{ ...toLogsSearch(view), entry: undefined }, refreshes]);
  const shown = useLogFeed(view, key);
  const change = (changes: Partial<LogsView>, options: { replace?: boolean } = {}) => {
    // A new view starts at the top; expanding an entry keeps the scroll position.
    if (Object.keys(changes).some((name) => name !== 'entry')) scrollTo({ top: 0 });
    void navigate({
      to: '/logs',
      // The update starts from the current address, because an earlier navigation may not be rendered yet.
      search: (now: Readonly<Record<string, unknown>>) => {
        const latest = parseLogsView(now);
        return toLogsSearch({ ...latest, deployment: latest.deployment || view.deployment, ...changes });
      },
      resetScroll: false,
      ...options,
    });
  };
  const problem = useMemo(() => readFilterProblem(shown?.state.error, view.filter), [shown?.state.error, view.filter]);
  const entries = shown?.state.entries ?? [];
  const download = () => {
    const lines = entries.toReversed().map((entry) => `${JSON.stringify(entry)}\n`);
    saveFile(`${view.deployment}.ndjson`, lines.join(''), 'application/x-ndjson');
  };
  const onFilterBy = (field: string, value: unknown, isWanted: boolean) =>
    change({ filter: filterBy(view.filter, field, value, isWanted), entry: undefined });
  return (
    <>
      <PageHead
        title={t('nav.logs')}
        command={toCommands(view, quote)}
        items={entries.length > 0 ? [{ label: t('logs.download'), icon: Download, onChoose: download }] : []}
      >
        <IconButton icon={RefreshCw} label={t('logs.refresh')} onClick={() => setRefreshes(refreshes + 1)} />
      </PageHead>
      <LogsBar
        view={view}
        deployments={deployments}
        problem={problem}
        onChange={change}
        onRefresh={() => setRefreshes(refreshes + 1)}
        areFieldsOpen={areFieldsOpen}
        onToggleFields={() => setFieldsOpen(!areFieldsOpen)}
      />
      {shown && !problem && (
        <div className="mt-3 flex gap-4 max-md:flex-col">
          {areFieldsOpen && <FieldsPanel view={view} onFilterBy={onFilterBy} onClose={() => setFieldsOpen(false)} />}
          <LogsResult
            key={key}
            view={view}
            feed={shown.feed}
            state={shown.state}
            onRange={(range) => change({ range, isLive: false, entry: undefined })}
            onOpen={(entry) => change({ entry }, { replace: true })}
            onChange={change}
            onFilterBy={onFilterBy}
            onRefresh={() => setRefreshes(refreshes + 1)}
            empty={
              <Button onClick={() => change({ range: { last: '30d' }, severity: 'DEFAULT' })}>
                {t('logs.empty.wider')}
              </Button>
            }
          />
        </div>
      )}
    </>
  );
}
