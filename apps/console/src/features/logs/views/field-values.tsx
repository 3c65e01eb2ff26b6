import { IconButton } from '@berth/ui';
import { ChevronRight, ListX } from 'lucide-react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import type { KnownField } from '../state/known-fields.ts';

interface FieldValuesProps {
  readonly field: KnownField;
  /** Initial state. */
  readonly isOpen: boolean;
  onFilterBy(field: string, value: unknown, isWanted: boolean): void;
}

/** A field with its values, sorted by the number of entries. */
export function FieldValues({ field, isOpen, onFilterBy }: FieldValuesProps) {
  const { t, formats } = useConsoleTexts();
  const { name, entries, values, hasMore } = field;
  const compact = (count: number) => formats.number(count, { notation: 'compact' });
  return (
    <details open={isOpen} className="group/field border-b border-line last:border-b-0">
      <summary className="flex min-h-8 cursor-pointer list-none items-center gap-1.5 rounded hover:bg-hover max-sm:min-h-11">
        <ChevronRight
          aria-hidden
          className="size-3.5 shrink-0 text-ink-soft group-open/field:rotate-90 rtl:-scale-x-100"
        />
        <span title={name} className="min-w-0 flex-1 truncate text-start font-mono text-xs">
          <bdi dir="ltr">{name}</bdi>
        </span>
        <span className="text-xs text-ink-soft tabular-nums">{compact(entries)}</span>
      </summary>
      <ul className="pb-2 ps-5">
        {values.map(({ text, value, entries: count }) => (
          <li key={text} className="group/value flex items-center">
            <button
              type="button"
              title={`${name}=${text}`}
              onClick={() => onFilterBy(name, value, true)}
              className="relative flex min-h-6 min-w-0 flex-1 items-center gap-2 rounded px-1.5 hover:bg-hover max-sm:min-h-10"
            >
              <span
                aria-hidden
                className="absolute inset-y-0.5 start-0 rounded bg-accent-soft opacity-60"
                style={{ width: `${(count / Math.max(entries, 1)) * 100}%` }}
              />
              <span className="relative min-w-0 flex-1 truncate text-start font-mono text-xs">
                <bdi>{String(value) || '""'}</bdi>
              </span>
              <span className="relative text-xs text-ink-soft tabular-nums">{compact(count)}</span>
            </button>
            <IconButton
              icon={ListX}
              className="h-6! opacity-0 group-focus-within/value:opacity-100 group-hover/value:opacity-100 max-md:opacity-100 max-sm:h-10!"
              label={`${t('logs.entry.exclude')}: ${name}=${text}`}
              onClick={() => onFilterBy(name, value, false)}
            />
          </li>
        ))}
        {hasMore && <li className="px-1.5 text-xs text-ink-soft">{t('logs.fields.more')}</li>}
      </ul>
    </details>
  );
}
