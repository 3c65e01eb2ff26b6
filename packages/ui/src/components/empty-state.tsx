import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyCode } from './copy-code.tsx';

export interface EmptyStateProps {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly text?: string | undefined;
  /** A shell command that creates the first item. */
  readonly command?: string | undefined;
  /** True when it fills a page that has no other heading. */
  readonly isPage?: boolean;
  readonly children?: ReactNode;
}

/** The empty state of a page or a list: what belongs here and how to create it. */
export function EmptyState({ icon: Icon, title, text, command, isPage = false, children }: EmptyStateProps) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className="mx-auto flex max-w-lg flex-col items-center gap-3 px-4 py-14 text-center">
      <span
        aria-hidden
        className="mb-1 inline-flex size-12 items-center justify-center rounded-xl border border-line bg-raised text-ink-soft shadow-xs"
      >
        <Icon className="size-5" strokeWidth={1.75} />
      </span>
      <Heading className="text-base font-semibold">{title}</Heading>
      {text !== undefined && <p className="max-w-md text-balance text-ink-soft">{text}</p>}
      {children}
      {command !== undefined && <CopyCode code={command} />}
    </div>
  );
}
