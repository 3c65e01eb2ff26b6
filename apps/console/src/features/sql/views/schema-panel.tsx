import { IconButton } from '@berth/ui';
import { ChevronRight, X } from 'lucide-react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { RELATIONS } from '../state/relations.ts';

interface SchemaPanelProps {
  /** Inserts a name into the query. */
  onInsert(text: string): void;
  onClose(): void;
}

/** Panel of relations, columns and types. Pressing a name inserts it into the query. */
export function SchemaPanel({ onInsert, onClose }: SchemaPanelProps) {
  const { t } = useConsoleTexts();
  return (
    <aside
      aria-label={t('sql.schema')}
      className="flex max-h-[70vh] flex-col gap-1 overflow-y-auto rounded-md border border-line bg-raised p-3 max-md:max-h-72 md:sticky md:top-3 md:w-72 md:shrink-0"
    >
      <div className="flex items-center gap-1">
        <h2 className="me-auto font-medium">{t('sql.schema')}</h2>
        <IconButton icon={X} label={t('parts.close')} onClick={onClose} />
      </div>
      <p className="text-xs text-ink-soft">{t('sql.schema.hint')}</p>
      {Object.entries(RELATIONS).map(([relation, columns]) => (
        <details key={relation} open className="group/relation">
          <summary className="flex min-h-8 cursor-pointer list-none items-center gap-1.5 rounded hover:bg-hover max-sm:min-h-11">
            <ChevronRight
              aria-hidden
              className="size-3.5 shrink-0 text-ink-soft group-open/relation:rotate-90 rtl:-scale-x-100"
            />
            <span className="font-mono text-xs font-semibold">{relation}</span>
          </summary>
          <ul dir="ltr" className="ps-4">
            {columns.map(({ name, type }) => (
              <li key={name}>
                <button
                  type="button"
                  title={`${name} ${type}`}
                  onClick={() => onInsert(name)}
                  className="flex min-h-6 w-full items-center gap-2 rounded px-1.5 text-start font-mono text-xs hover:bg-hover max-sm:min-h-10"
                >
                  <span className="min-w-0 flex-1 truncate">{name}</span>
                  <span className="text-[0.6875rem] text-ink-soft">{type}</span>
                </button>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </aside>
  );
}
