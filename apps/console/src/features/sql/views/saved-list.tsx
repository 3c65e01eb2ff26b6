import { IconButton } from '@berth/ui';
import { X } from 'lucide-react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import type { SavedQuery } from '../state/saved-queries.ts';

interface SavedListProps {
  readonly saved: readonly SavedQuery[];
  onChoose(query: string): void;
  onRemove(query: SavedQuery): void;
}

/** Example queries by the message key of their name. */
const EXAMPLE_QUERIES = {
  'sql.example.severity': `SELECT severity, COUNT(*) AS n
FROM logs
WHERE timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY)
GROUP BY severity ORDER BY n DESC`,
  'sql.example.slow': `SELECT timestamp, resource.labels.service_name AS deployment, http_request.request_method AS method,
       http_request.request_url AS url, http_request.status AS status, http_request.latency AS seconds
FROM logs
WHERE log_name = 'requests' AND timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY)
ORDER BY seconds DESC LIMIT 100`,
  'sql.example.cost': `SELECT resource.name AS deployment, sku, SUM(cost) AS cost
FROM billing
GROUP BY 1, 2 ORDER BY cost DESC`,
} as const;

const CHIP_CLASS =
  'min-h-7 max-w-64 truncate rounded-full border border-line bg-raised px-3 text-xs hover:bg-hover max-sm:min-h-9';

/** List of the saved queries; example queries if there are none. */
export function SavedList({ saved, onChoose, onRemove }: SavedListProps) {
  const { t } = useConsoleTexts();
  const title = saved.length > 0 ? t('sql.saved') : t('sql.examples');
  return (
    <section aria-label={title} className="flex flex-wrap items-center gap-2">
      <span className="text-xs text-ink-soft">{title}</span>
      {saved.map((query) => (
        <span key={query.name} className="inline-flex items-center">
          <button type="button" title={query.name} className={CHIP_CLASS} onClick={() => onChoose(query.query)}>
            {query.name}
          </button>
          <IconButton
            icon={X}
            className="size-7!"
            label={t('sql.remove', { name: query.name })}
            onClick={() => onRemove(query)}
          />
        </span>
      ))}
      {saved.length === 0 &&
        (Object.keys(EXAMPLE_QUERIES) as (keyof typeof EXAMPLE_QUERIES)[]).map((key) => (
          <button key={key} type="button" className={CHIP_CLASS} onClick={() => onChoose(EXAMPLE_QUERIES[key])}>
            {t(key)}
          </button>
        ))}
    </section>
  );
}
