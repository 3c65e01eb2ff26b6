import { LoaderCircle, type LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';

const LOOKS = {
  primary: 'bg-accent-ground text-on-accent not-disabled:hover:bg-accent-hover not-disabled:active:bg-accent-active',
  secondary: 'border border-line bg-raised shadow-xs not-disabled:hover:bg-hover not-disabled:active:bg-active',
  danger: 'bg-bad-ground text-on-accent not-disabled:hover:bg-bad-hover not-disabled:active:bg-bad-active',
  quiet: 'not-disabled:hover:bg-hover not-disabled:active:bg-active',
} as const;

export type ButtonLook = keyof typeof LOOKS;

export interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: ButtonLook;
  /** Icon before the text. */
  readonly icon?: LucideIcon | undefined;
  /** True while the action runs: the button is disabled and keeps its width. */
  readonly isBusy?: boolean;
}

/** Class names of a button, for links that look like one. */
export function buttonClass(look: ButtonLook = 'secondary'): string {
  return classNames(
    'relative inline-flex h-8 items-center justify-center gap-1.5 rounded-md px-3 font-medium whitespace-nowrap transition-colors select-none max-sm:h-11 disabled:opacity-60',
    LOOKS[look],
  );
}

/** A text button. Its `type` is `button` by default, so it doesn't submit a form. */
export function Button({ look, icon: Icon, isBusy = false, className, children, disabled, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      disabled={disabled || isBusy}
      aria-busy={isBusy}
      className={classNames(buttonClass(look), className)}
    >
      {isBusy && <LoaderCircle aria-hidden className="absolute size-4 animate-spin" />}
      {/* Not invisible: a button that is busy keeps its name. */}
      <span className={classNames('contents', isBusy && 'text-transparent *:opacity-0')}>
        {Icon && <Icon aria-hidden className="size-4 shrink-0" />}
        {children}
      </span>
    </button>
  );
}
