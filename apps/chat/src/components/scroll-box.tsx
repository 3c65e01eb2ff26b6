import type { ReactNode } from 'react';

export interface ScrollBoxProps {
  /** Its name, for who comes to it by keyboard. */
  readonly label: string;
  readonly className?: string;
  readonly dir?: 'ltr' | 'auto';
  readonly children: ReactNode;
}

/** A box that scrolls by itself, which has to be reached by keyboard too. */
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
