import type { SharedTokens, Tokens } from '../session/shared-tokens.ts';

/**
 * The tokens of one tab.
 * @param elsewhere what other tabs send when they are asked
 */
export function createTokens(first?: Tokens, elsewhere?: Tokens): SharedTokens & { readonly asked: number } {
  let tokens = first;
  let asked = 0;
  const set = (next: Tokens | undefined) => {
    tokens = next;
  };
  return {
    ...{ get: () => tokens, isNewest: () => true, set, forget: () => set(undefined), end: () => set(undefined) },
    async ask() {
      asked += 1;
      set(elsewhere ?? tokens);
    },
    subscribe: () => () => {},
    get asked() {
      return asked;
    },
  };
}
