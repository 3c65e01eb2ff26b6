import { ErrorNote, Skeleton } from '@berth/ui';
import { Link } from '@tanstack/react-router';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { parseLogsView } from '../../logs/state/logs-view.ts';
import { useLogFeed } from '../../logs/views/use-log-feed.ts';

const LINES = 10;

/** The last log entries, live, with a link to all logs. */
export function LogTail({ name }: { readonly name: string }) {
  const { t, language } = useConsoleTexts();
  const time = new Intl.DateTimeFormat(language, { timeStyle: 'medium' });
  const state = useLogFeed(parseLogsView({ deployment: name, range: '30d', live: 'on' }), name)?.state;
  const entries = state?.entries.slice(0, LINES).toReversed() ?? [];
  return (
    <section className="min-w-0">
      <div className="mb-2 flex items-center gap-2">
        <h2 className="me-auto font-semibold">{t('overview.logs')}</h2>
        <Link to="/logs" search={{ deployment: name } as never} className="text-accent hover:underline">
          {t('overview.allLogs')}
        </Link>
      </div>
      {state?.error !== undefined && <ErrorNote error={state.error} />}
      {(state?.status ?? 'loading') === 'loading' && <Skeleton rows={4} />}
      {state?.status === 'ready' && entries.length === 0 && <p className="text-ink-soft">{t('overview.noLogs')}</p>}
      {entries.length > 0 && (
        <ol aria-label={t('overview.logs')} dir="ltr" className="flex flex-col gap-1 font-mono text-xs">
          {entries.map(({ timestamp, severity, message }) => (
            <li key={timestamp} className="flex min-w-0 gap-3">
              <time dateTime={timestamp} title={timestamp} className="shrink-0 text-ink-soft tabular-nums">
                {time.format(Date.parse(timestamp))}
              </time>
              <span dir="auto" className={`min-w-0 truncate ${lookOf(severity)}`} title={message}>
                {message}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function lookOf(severity: string): string {
  if (severity === 'WARNING') return 'text-warn';
  return ['ERROR', 'CRITICAL', 'ALERT', 'EMERGENCY'].includes(severity) ? 'text-bad' : '';
}
