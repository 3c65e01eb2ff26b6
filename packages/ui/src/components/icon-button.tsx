import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';
import { Tooltip } from './tooltip.tsx';

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly icon: LucideIcon;
  /** Accessible name, also shown as a tooltip. */
  readonly label: string;
}

/** A button with an icon only. */
export function IconButton({ icon: Icon, label, className, ...props }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        aria-label={label}
        {...props}
        className={classNames(
          'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-soft transition-colors not-disabled:hover:bg-hover not-disabled:hover:text-ink not-disabled:active:bg-active disabled:opacity-50 max-sm:size-11',
          className,
        )}
      >
        <Icon aria-hidden className="size-4" />
      </button>
    </Tooltip>
  );
}
