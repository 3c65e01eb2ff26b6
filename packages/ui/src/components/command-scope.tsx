import { createContext, type ReactNode, useContext, useEffect, useId, useState } from 'react';
import type { CallSecret, HttpCall } from '../commands/to-curl.ts';
import { createStore, useStore, type WritableStore } from '../store/create-store.ts';

/** The shell command that does the same as a page, a form or a dialog. */
export interface Command {
  /** Heading above the command in a menu with several of them. */
  readonly label?: string | undefined;
  /** The CLI command, e.g. `npx berth ls`; undefined where the CLI has none. */
  readonly cli?: string | undefined;
  readonly http: HttpCall;
  readonly secret?: CallSecret | undefined;
}

type Commands = ReadonlyMap<string, Command>;

const NONE = createStore<Commands>(new Map());
const ScopeContext = createContext<WritableStore<Commands> | undefined>(undefined);

/** A page or a dialog: its menu offers the commands that its content declares with {@link useCommand}. */
export function CommandScope({ children }: { readonly children: ReactNode }) {
  const [store] = useState(() => createStore<Commands>(new Map()));
  return <ScopeContext value={store}>{children}</ScopeContext>;
}

/** Offers a command in the menu of the page or dialog around the caller, for as long as the caller is mounted. */
export function useCommand(command: Command | undefined): void {
  const store = useContext(ScopeContext);
  const id = useId();
  const key = JSON.stringify(command);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the command, which is another object in each render
  useEffect(() => {
    if (command) store?.set(new Map(store.get()).set(id, command));
  }, [store, id, key]);
  const isOffered = command !== undefined;
  useEffect(() => {
    if (!isOffered) return;
    return () => store?.set(new Map([...store.get()].filter(([other]) => other !== id)));
  }, [store, id, isOffered]);
}

/** Returns the commands that the content of the page or dialog around the caller declares. */
export function useScopedCommands(): readonly Command[] {
  return [...useStore(useContext(ScopeContext) ?? NONE).values()];
}
