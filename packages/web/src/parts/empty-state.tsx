import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyCode } from './copy-code.tsx';

export interface EmptyStateProps {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly text: string;
  /** The command that would put something here. */
  readonly command?: string | undefined;
  readonly children?: ReactNode;
}

/** What a page says that has nothing to show yet: what belongs here, and how it gets here. */
export function EmptyState({ icon: Icon, title, text, command, children }: EmptyStateProps) {
  return (
    <div className="mx-auto flex max-w-lg flex-col items-center gap-3 px-4 py-16 text-center">
      <Icon aria-hidden className="size-7 text-ink-soft" strokeWidth={1.5} />
      <h2 className="text-base font-semibold">{title}</h2>
      <p className="text-ink-soft">{text}</p>
      {children}
      {command !== undefined && <CopyCode code={command} />}
    </div>
  );
}
