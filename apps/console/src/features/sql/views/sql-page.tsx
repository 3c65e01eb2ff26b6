import { Button, Dialog, Field, Form, quote, Skeleton, useTell } from '@berth/ui';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Bookmark, History, Play, Square, Table2, WandSparkles } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { useUser } from '../../../api/use-rights.ts';
import { PageHead } from '../../../components/page-head.tsx';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { formatSql } from '../state/format-sql.ts';
import { createQueryHistory, type PastQuery } from '../state/query-history.ts';
import { createSavedQueries, type SavedQuery } from '../state/saved-queries.ts';
import { readSqlProblem, readSuggestions, type Suggestion } from '../state/sql-problem.ts';
import { createSqlRun } from '../state/sql-run.ts';
import { HistoryDialog } from './history-dialog.tsx';
import { SavedList } from './saved-list.tsx';
import { SchemaPanel } from './schema-panel.tsx';
import type { SqlEditorHandle } from './sql-editor.tsx';
import { SqlResult } from './sql-result.tsx';

// CodeMirror is loaded with the first visit.
const SqlEditor = lazy(async () => ({ default: (await import('./sql-editor.tsx')).SqlEditor }));

/** Page that queries the account's logs and costs in SQL. The address holds the query that was last run. */
export function SqlPage() {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const tell = useTell();
  const navigate = useNavigate();
  const { query: linked } = useSearch({ strict: false }) as { readonly query?: unknown };
  const [query, setQuery] = useState(linked === undefined ? '' : String(linked));
  const [isSaving, setSaving] = useState(false);
  const run = useMemo(() => createSqlRun(client, () => performance.now()), [client]);
  useEffect(() => () => run.cancel(), [run]);
  const state = useSyncExternalStore(run.subscribe, run.getState);
  const { data: user } = useUser();
  const queries = useMemo(() => user && createSavedQueries(user.account.id, localStorage), [user]);
  const [saved, setSaved] = useState<readonly SavedQuery[]>([]);
  useEffect(() => setSaved(queries?.list() ?? []), [queries]);
  const problem = state.query === query ? readSqlProblem(state.error, query) : undefined;
  const suggestions = problem ? readSuggestions(problem, query) : [];
  const isRunning = state.status === 'running';
  const fieldRef = useRef<SqlEditorHandle>(null);
  const [isSchemaOpen, setSchemaOpen] = useState(() => matchMedia('(min-width: 64rem)').matches);
  const history = useMemo(() => user && createQueryHistory(user.account.id, localStorage), [user]);
  const [past, setPast] = useState<readonly PastQuery[]>();
  useEffect(() => {
    if (state.status !== 'done') return;
    const { query: done, tookMs, rows } = state;
    history?.add({ query: done, atMs: Date.now() - tookMs, tookMs, rows: rows.length });
  }, [history, state]);

  const start = (text: string) => {
    setQuery(text);
    if (text.trim() === '') return;
    void navigate({ to: '/sql', search: { query: text }, replace: true, resetScroll: false });
    history?.add({ query: text, atMs: Date.now(), tookMs: 0, rows: undefined });
    void run.run(text);
  };
  const keep = (change: (kept: NonNullable<typeof queries>) => void) => {
    if (!queries) return;
    change(queries);
    setSaved(queries.list());
  };
  const layOut = async () => {
    const formatted = await formatSql(query);
    if (formatted === undefined) tell(t('sql.format.unread'));
    // Edits made while the formatter ran are kept.
    else setQuery((now) => (now === query ? formatted : now));
  };
  return (
    <>
      <PageHead
        title={t('nav.sql')}
        command={{ cli: `npx berth sql ${quote(query)}`, http: { method: 'POST', path: '/v1/sql', body: { query } } }}
      >
        <Button icon={Table2} look="quiet" aria-pressed={isSchemaOpen} onClick={() => setSchemaOpen(!isSchemaOpen)}>
          <span className="max-sm:sr-only">{t('sql.schema')}</span>
        </Button>
        <Button icon={History} look="quiet" disabled={!history} onClick={() => setPast(history?.list() ?? [])}>
          <span className="max-sm:sr-only">{t('sql.history')}</span>
        </Button>
        <Button icon={Bookmark} look="quiet" disabled={query.trim() === '' || !queries} onClick={() => setSaving(true)}>
          <span className="max-sm:sr-only">{t('account.save')}</span>
        </Button>
      </PageHead>
      <div className="flex gap-4 max-md:flex-col md:items-start">
        {isSchemaOpen && (
          <SchemaPanel onInsert={(text) => fieldRef.current?.insert(text)} onClose={() => setSchemaOpen(false)} />
        )}
        <div className="flex min-w-0 flex-1 flex-col gap-3">
          <Suspense fallback={<Skeleton rows={4} />}>
            <SqlEditor
              handle={fieldRef}
              label={t('sql.query')}
              value={query}
              onChange={setQuery}
              onSubmit={start}
              problem={problem}
              placeholder="SELECT severity, COUNT(*) AS n FROM logs GROUP BY severity"
              hint={t('sql.hint')}
            />
          </Suspense>
          <SuggestionList
            suggestions={suggestions}
            onChoose={({ text, from, to }) => start(query.slice(0, from) + text + query.slice(to))}
          />
          <div className="flex flex-wrap items-center gap-2">
            {isRunning ? (
              <Button onClick={run.cancel}>
                <Square aria-hidden className="size-3.5" />
                {t('sql.cancel')}
              </Button>
            ) : (
              <Button look="primary" disabled={query.trim() === ''} onClick={() => start(query)}>
                <Play aria-hidden className="size-3.5" />
                {t('sql.run')}
              </Button>
            )}
            <Button icon={WandSparkles} look="quiet" disabled={query.trim() === ''} onClick={() => void layOut()}>
              {t('sql.format')}
            </Button>
            <SavedList
              saved={saved}
              onChoose={start}
              onRemove={(removed) => {
                keep((kept) => kept.remove(removed.name));
                tell(t('sql.removed', { name: removed.name }), {
                  label: t('sql.undo'),
                  onUndo: () => keep((kept) => kept.keep(removed)),
                });
              }}
            />
          </div>
          <SqlResult state={state} isProblemShown={problem !== undefined} />
        </div>
      </div>
      {past && (
        <HistoryDialog
          past={past}
          onChoose={(chosen) => {
            setQuery(chosen);
            setPast(undefined);
          }}
          onClear={() => {
            history?.clear();
            setPast([]);
          }}
          onClose={() => setPast(undefined)}
        />
      )}
      {isSaving && (
        <SaveQuery
          onClose={() => setSaving(false)}
          onSave={(name) => {
            keep((kept) => kept.keep({ name, query }));
            setSaving(false);
            tell(t('sql.save.done', { name }));
          }}
        />
      )}
    </>
  );
}

/** Dialog that asks for the name under which to save a query. */
function SaveQuery({ onClose, onSave }: { onClose(): void; onSave(name: string): void }) {
  const { t } = useConsoleTexts();
  const [name, setName] = useState('');
  const submit = () => {
    if (name.trim() !== '') onSave(name.trim());
  };
  return (
    <Dialog title={t('sql.save.title')} description={t('sql.save.where')} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        <Field label={t('shell.name')} value={name} onChange={setName} maxLength={100} required autoFocus />
        <Button type="submit" look="primary" className="self-end" disabled={name.trim() === ''}>
          {t('account.save')}
        </Button>
      </Form>
    </Dialog>
  );
}

interface SuggestionListProps {
  readonly suggestions: readonly Suggestion[];
  onChoose(suggestion: Suggestion): void;
}

/** Names that the engine suggests in place of an unknown one. */
function SuggestionList({ suggestions, onChoose }: SuggestionListProps) {
  const { t } = useConsoleTexts();
  if (suggestions.length === 0) return null;
  return (
    <p className="flex flex-wrap items-center gap-2 text-xs text-ink-soft">
      {t('sql.instead')}
      {suggestions.map((suggestion) => (
        <Button key={suggestion.text} onClick={() => onChoose(suggestion)}>
          <code className="font-mono text-xs">{suggestion.text}</code>
        </Button>
      ))}
    </p>
  );
}
