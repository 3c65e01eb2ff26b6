import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import type { CostRow } from '../state/cost-rows.ts';

/**
 * Returns a function that formats an amount in the language of the console. Small amounts get more digits, because a
 * request costs millionths.
 */
export function useMoney(): (amount: Pick<CostRow, 'cost' | 'currency'>) => string {
  const { formats } = useConsoleTexts();
  return ({ cost, currency }) =>
    formats.number(cost, {
      style: 'currency',
      currency,
      minimumFractionDigits: 2,
      maximumFractionDigits: cost < 1 ? 6 : 2,
    });
}
