import type { CostRow } from '../../state/billing/cost-rows.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** An amount as the language writes it; small ones with more digits, as requests cost millionths. */
export function useMoney(): (amount: Pick<CostRow, 'cost' | 'currency'>) => string {
  const { formats } = useConsoleTexts();
  return ({ cost, currency }) =>
    formats.number(cost, {
      ...{ style: 'currency', currency, minimumFractionDigits: 2 },
      maximumFractionDigits: cost < 1 ? 6 : 2,
    });
}
