import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import type { CostRow } from '../state/cost-rows.ts';

/** An amount as the language writes it; small ones with more digits, as requests cost millionths. */
export function useMoney(): (amount: Pick<CostRow, 'cost' | 'currency'>) => string {
  const { formats } = useConsoleTexts();
  return ({ cost, currency }) =>
    formats.number(cost, {
      ...{ style: 'currency', currency, minimumFractionDigits: 2 },
      maximumFractionDigits: cost < 1 ? 6 : 2,
    });
}
