import { Link } from '@tanstack/react-router';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useRead } from '../../../api/use-read.ts';
import { Loaded } from '../../../components/loaded.tsx';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

const LINES = 8;

/** The last log entries, refreshed every few seconds, with a link to all logs. */
export function LogTail({ name }: { readonly name: string }) {
  const { t, language } = useConsoleTexts();
  const time = new Intl.DateTimeFormat(language, { timeStyle: 'medium' });
  const logs = useRead(
    [...QUERY_KEYS.deployment(name), 'log-tail'],
    async (client, signal) =>
      (await client.post('/v1/deployment/logs', { body: { deployment_name: name, limit: LINES }, signal })).logs,
    { refetchInterval: 5_000 },
  );
  return (
    <section className="min-w-0">
      <div className="mb-2 flex items-center gap-2">
        <h2 className="me-auto font-semibold">{t('overview.logs')}</h2>
        <Link to="/logs" search={{ deployment: name } as never} className="text-accent hover:underline">
          {t('overview.allLogs')}
        </Link>
      </div>
      <Loaded query={logs} rows={4} empty={<p className="text-ink-soft">{t('overview.noLogs')}</p>}>
        {(entries) => (
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
      </Loaded>
    </section>
  );
}

function lookOf(severity: string): string {
  if (severity === 'WARNING') return 'text-warn';
  return ['ERROR', 'CRITICAL', 'ALERT', 'EMERGENCY'].includes(severity) ? 'text-bad' : '';
}
