import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useCopyButton } from './use-copy.ts';

export interface CodeFrameProps {
  readonly title: string;
  /** Text to copy. */
  readonly text: string;
  /** Buttons before the copy button. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame around code and diagrams: a title and actions. */
export function CodeFrame({ title, text, actions, children }: CodeFrameProps) {
  const copy = useCopyButton(() => text);
  return (
    <figure className="my-3 overflow-hidden rounded-lg border border-line bg-sunken" dir="ltr">
      <figcaption className="flex items-center gap-1 border-b border-line ps-3 pe-1 text-xs text-ink-soft">
        <span dir="auto" className="min-w-0 flex-1 truncate font-mono">
          {title}
        </span>
        {actions}
        <CodeAction {...copy} />
      </figcaption>
      {children}
    </figure>
  );
}

export interface CodeActionProps {
  readonly icon: LucideIcon;
  readonly label: string;
  /** Given for a toggle button. */
  readonly isOn?: boolean;
  onClick(): void;
}

/** A button of the frame; phones show its icon only. */
export function CodeAction({ icon: Icon, label, isOn, onClick }: CodeActionProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      title={label}
      className="inline-flex h-8 shrink-0 items-center gap-1.5 rounded px-2 hover:bg-hover hover:text-ink aria-pressed:text-accent max-sm:h-11 max-sm:min-w-11 max-sm:justify-center"
      onClick={onClick}
    >
      <Icon aria-hidden className="size-3.5" />
      <span className="max-sm:sr-only">{label}</span>
    </button>
  );
}
