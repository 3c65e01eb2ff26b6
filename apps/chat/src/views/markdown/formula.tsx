import { lazy, Suspense } from 'react';

const load = () => import('./formula-mathml.tsx').then(({ FormulaMathml }) => ({ default: FormulaMathml }));
/** Once it is loaded it draws at once, so that no line is drawn twice. */
const FormulaMathml = lazy(load);

/** Begins to load what draws formulas, for a text in which one begins. */
export function prepareFormulas(): void {
  load().catch(() => undefined);
}

export interface FormulaProps {
  /** TeX. */
  readonly tex: string;
  readonly isBlock: boolean;
}

/** A formula; its source until it can be drawn, and where it is wrong. */
export function Formula({ tex, isBlock }: FormulaProps) {
  return (
    <span dir="ltr" className={isBlock ? 'my-3 block overflow-x-auto text-center' : undefined}>
      <Suspense fallback={<FormulaSource tex={tex} />}>
        <FormulaMathml tex={tex} isBlock={isBlock} source={<FormulaSource tex={tex} />} />
      </Suspense>
    </span>
  );
}

function FormulaSource({ tex }: { readonly tex: string }) {
  return <code className="font-mono text-[0.9em]">{tex}</code>;
}
