import { type Context, createContext, useContext } from 'react';

/**
 * Creates a React context without a default value, and the hook that reads it.
 * @param name of the context, for the error and React's developer tools
 * @returns the context, to render as its provider, and a hook that throws outside of one
 */
export function createRequiredContext<Value extends object>(
  name: string,
): readonly [context: Context<Value | undefined>, use: () => Value] {
  const context = createContext<Value | undefined>(undefined);
  context.displayName = name;
  // biome-ignore lint/correctness/noComponentHookFactories: modules call this once, at their top level
  const useRequired = (): Value => {
    const value = useContext(context);
    if (!value) throw new Error(`${name} is read outside of its provider`);
    return value;
  };
  return [context, useRequired];
}
