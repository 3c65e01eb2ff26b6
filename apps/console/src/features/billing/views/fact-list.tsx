import type { ReactNode } from 'react';

interface FactListProps {
  readonly title: string;
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
}

/** Titled list of names and values. */
export function FactList({ title, facts }: FactListProps) {
  return (
    <section>
      <h2 className="mb-2 text-base font-semibold">{title}</h2>
      <dl>
        {facts.map(([name, value]) => (
          <div key={name} className="flex min-h-10 items-center justify-between gap-4 border-b border-line py-1">
            <dt className="text-ink-soft">{name}</dt>
            <dd className="min-w-0 text-end">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
