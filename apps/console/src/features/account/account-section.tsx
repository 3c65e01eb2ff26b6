import { type ReactNode, useId } from 'react';

interface AccountSectionProps {
  readonly title: string;
  readonly text?: string | undefined;
  readonly children: ReactNode;
}

/** Section of the account page: its description beside its controls, stacked on phones. */
export function AccountSection({ title, text, children }: AccountSectionProps) {
  const titleId = useId();
  return (
    <section
      aria-labelledby={titleId}
      className="grid gap-x-10 gap-y-4 border-t border-line py-8 first:border-t-0 first:pt-2 md:grid-cols-[15rem_minmax(0,1fr)]"
    >
      <div>
        <h2 id={titleId} className="font-semibold">
          {title}
        </h2>
        {text !== undefined && <p className="mt-1 text-ink-soft">{text}</p>}
      </div>
      <div className="min-w-0 max-w-xl">{children}</div>
    </section>
  );
}
