import { type Command, type MenuItem, PageMenu, useScopedCommands } from '@berth/ui';
import { type ReactNode, useEffect } from 'react';

interface PageHeadProps {
  readonly title: string;
  /** Actions of the page. */
  readonly children?: ReactNode;
  /** Rarely used actions, in the page's menu. */
  readonly items?: readonly MenuItem[] | undefined;
  /** The command equivalent to the page, in its menu with those that its content offers (`useCommand`). */
  readonly command?: Command | undefined;
}

/** A page's heading, actions and menu. Also sets the title of the window. */
export function PageHead({ title, children, items, command }: PageHeadProps) {
  const commands = [...(command ? [command] : []), ...useScopedCommands()];
  useEffect(() => {
    document.title = `${title} · Berth`;
  }, [title]);
  return (
    <div className="mb-4 flex min-h-8 flex-wrap items-center gap-2">
      <h1 className="me-auto text-lg font-semibold">{title}</h1>
      {children}
      <PageMenu items={items ?? []} commands={commands} />
    </div>
  );
}
