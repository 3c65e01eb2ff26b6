import type { ReactNode } from 'react';

export interface ScrollBoxProps {
  /** Accessible name of the scrollable region. */
  readonly label: string;
  readonly className?: string;
  readonly dir?: 'ltr' | 'auto';
  readonly children: ReactNode;
}

/** A scrollable region that the keyboard can focus. */
export function ScrollBox({ label, className = '', dir, children }: ScrollBoxProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      tabIndex={0}
      role="group"
      aria-label={label}
      dir={dir}
      className={`overflow-auto ${className}`}
    >
      {children}
    </div>
  );
}
