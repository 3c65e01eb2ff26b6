import { createLateView } from '../../../components/late-view.ts';
import type { FormulaMathmlProps } from './formula-mathml.tsx';

export type FormulaProps = Omit<FormulaMathmlProps, 'source'>;

const mathml = createLateView(async () => (await import('./formula-mathml.tsx')).FormulaMathml);

/** Begins to load what draws formulas, for a text in which one begins. */
export const prepareFormulas = mathml.prepare;

/** A formula; its source until it can be drawn, and where it is wrong. */
export function Formula({ tex, isBlock }: FormulaProps) {
  const Drawn = mathml.useView();
  const source = <code className="font-mono text-[0.9em]">{tex}</code>;
  return (
    <span dir="ltr" className={isBlock ? 'my-3 block overflow-x-auto text-center' : undefined}>
      {Drawn ? <Drawn tex={tex} isBlock={isBlock} source={source} /> : source}
    </span>
  );
}
