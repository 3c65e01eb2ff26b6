import { type ReactNode, useEffect } from 'react';
import { LookMenus } from '../../components/look-menus.tsx';

interface DoorPageProps {
  readonly title: string;
  readonly text?: string;
  readonly children?: ReactNode;
}

/** Centered layout of the pages for people who are not signed in. */
export function DoorPage({ title, text, children }: DoorPageProps) {
  useEffect(() => {
    document.title = `${title} · Berth`;
  }, [title]);
  return (
    <div className="flex min-h-dvh flex-col p-4">
      <header className="flex justify-end">
        <LookMenus />
      </header>
      <main className="m-auto w-full max-w-sm pb-[10vh]">
        <img src="/icon.svg" alt="" className="mb-6 size-10" />
        <h1 className="mb-2 text-xl font-semibold">{title}</h1>
        {text !== undefined && <p className="mb-6 text-ink-soft">{text}</p>}
        <div className="mt-6">{children}</div>
      </main>
    </div>
  );
}
