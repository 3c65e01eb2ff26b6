import { Select as Base } from '@base-ui/react/select';
import { Check, ChevronsUpDown } from 'lucide-react';
import { useId } from 'react';
import { classNames } from './class-names.ts';
import { INPUT_CLASS } from './field.tsx';

export interface SelectProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: NoInfer<Value>; readonly label: string }[];
  onChange(value: NoInfer<Value>): void;
  /** True when only screen readers get the label. */
  readonly isLabelHidden?: boolean;
  /** True for a compact select in a table row. */
  readonly isCompact?: boolean;
  readonly className?: string;
}

/** A select with a few options. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, value, options, onChange, isLabelHidden = false, isCompact = false, className } = props;
  const labelId = useId();
  return (
    <div className={classNames('flex flex-col gap-1', className)}>
      <span id={labelId} className={isLabelHidden ? 'sr-only' : 'font-medium'}>
        {label}
      </span>
      <Base.Root items={[...options]} value={value} onValueChange={(next) => next !== null && onChange(next)}>
        <Base.Trigger
          aria-labelledby={labelId}
          className={classNames(
            INPUT_CLASS,
            // A control that shows its value needs no outline to be found; only fields for text have one.
            'inline-flex items-center justify-between gap-2 border-line! shadow-xs hover:bg-hover data-popup-open:bg-hover',
            isCompact && 'max-sm:h-8 max-sm:text-sm',
          )}
        >
          <Base.Value className="min-w-0 truncate" />
          <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-ink-soft" />
        </Base.Trigger>
        <Base.Portal>
          <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50">
            <Base.Popup className="pop max-h-(--available-height) min-w-(--anchor-width) overflow-y-auto p-1">
              <Base.List>
                {options.map((option) => (
                  <Base.Item
                    key={option.value}
                    value={option.value}
                    className="flex items-center gap-2 rounded px-2 py-1 max-sm:py-3 data-highlighted:bg-hover"
                  >
                    <Base.ItemIndicator keepMounted className="invisible data-selected:visible">
                      <Check aria-hidden className="size-3.5" />
                    </Base.ItemIndicator>
                    <Base.ItemText>{option.label}</Base.ItemText>
                  </Base.Item>
                ))}
              </Base.List>
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
    </div>
  );
}
