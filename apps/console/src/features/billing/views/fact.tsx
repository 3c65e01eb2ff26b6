import type { ReactNode } from 'react';

/** A name and its value in a `<dl>`. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      <dt className="text-xs text-ink-soft">{name}</dt>
      <dd className="text-base font-medium">{children}</dd>
    </div>
  );
}
