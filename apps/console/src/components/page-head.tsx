import { type ReactNode, useEffect } from 'react';

interface PageHeadProps {
  readonly title: string;
  /** Actions of the page. */
  readonly children?: ReactNode;
}

/** A page's heading and actions. Also sets the title of the window. */
export function PageHead({ title, children }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Berth`;
  }, [title]);
  return (
    <div className="mb-4 flex min-h-8 flex-wrap items-center gap-2">
      <h1 className="me-auto text-lg font-semibold">{title}</h1>
      {children}
    </div>
  );
}
