import { type ReactNode, useEffect } from 'react';

export interface PageHeadProps {
  readonly title: string;
  /** Buttons of the whole page. */
  readonly children?: ReactNode;
}

/** Title of a page, which is also that of the window, with what can be done there. */
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
