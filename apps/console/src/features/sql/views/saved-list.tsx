import { IconButton } from '@berth/ui';
import { X } from 'lucide-react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import type { SavedQuery } from '../state/saved-queries.ts';
import { EXAMPLE_QUERIES } from './example-queries.ts';

/** Props of {@link SavedList}. */
export interface SavedListProps {
  readonly saved: readonly SavedQuery[];
  onChoose(query: string): void;
  onRemove(query: SavedQuery): void;
}

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
