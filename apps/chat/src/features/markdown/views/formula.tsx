import { createLateView } from '../../../components/late-view.ts';
import type { FormulaMathmlProps } from './formula-mathml.tsx';

/** Props of {@link Formula}. */
export type FormulaProps = Omit<FormulaMathmlProps, 'source'>;

const mathml = createLateView(async () => (await import('./formula-mathml.tsx')).FormulaMathml);

/** Starts to load the formula renderer, which is not part of the first load. */
export const prepareFormulas = mathml.prepare;

/** A rendered formula, or its TeX source while the renderer loads and when the source is invalid. */
export function Formula({ tex, isBlock }: FormulaProps) {
  const Drawn = mathml.useView();
  const source = <code className="font-mono text-[0.9em]">{tex}</code>;
  return (
    <span dir="ltr" className={isBlock ? 'my-3 block overflow-x-auto text-center' : undefined}>
      {Drawn ? <Drawn tex={tex} isBlock={isBlock} source={source} /> : source}
    </span>
  );
}
