import { classNames } from '@berth/ui';
import { useEffect, useRef } from 'react';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import type { CompletionOption } from './completion.ts';

interface CompletionListProps {
  /** Id of the listbox; options have the ids `<id>-<index>`. */
  readonly id: string;
  readonly options: readonly CompletionOption[];
  /** Index of the selected option; -1 for none. */
  readonly active: number;
  readonly startPx: number;
  readonly topPx: number;
  onChoose(option: CompletionOption): void;
}

/** The list of completions below the caret. The field keeps the focus. */
export function CompletionList({ id, options, active, startPx, topPx, onChoose }: CompletionListProps) {
  const { t, formats } = useConsoleTexts();
  const listRef = useRef<HTMLDivElement>(null);
  useEffect(() => {
    listRef.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <div
      ref={listRef}
      id={`${id}-list`}
      role="listbox"
      aria-label={t('code.completions')}
      tabIndex={-1}
      style={{ left: `max(0px, min(${startPx}px, calc(100% - 22rem)))`, top: topPx }}
      className="pop absolute z-30 max-h-60 w-88 max-w-full overflow-y-auto p-1 font-mono text-xs"
    >
      {options.map((option, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field that keeps the focus has the keys
        <div
          key={`${option.kind} ${option.text}`}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          // `mousedown` comes before the field would lose the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(option)}
          className={classNames(
            'flex gap-3 rounded px-2 py-1 max-sm:py-2',
            index === active ? 'bg-hover' : 'hover:bg-hover',
          )}
        >
          <span className="min-w-0 flex-1 truncate" title={option.text}>
            {option.text}
          </span>
          {(option.about ?? option.count) !== undefined && (
            <span className="shrink-0 text-ink-soft tabular-nums">
              {option.about ?? formats.number(option.count ?? 0, { notation: 'compact' })}
            </span>
          )}
        </div>
      ))}
    </div>
  );
}
