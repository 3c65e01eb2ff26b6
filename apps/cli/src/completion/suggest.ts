import type { CommandGroup, CommandSpec, OptionTable } from '../command/command.ts';
import { GLOBAL_OPTIONS } from '../program/global-options.ts';

type Node = CommandGroup | CommandSpec;

/** The completions of a command line. */
export interface Suggestions {
  /** Words of the command table. */
  readonly words: readonly string[];
  /** True when the name of a deployment fits too. */
  readonly wantsDeployment: boolean;
}

/**
 * Returns the completions of a command line, from the table of commands. Words don't have to begin with the last one.
 * @param line the words after `berth`; the last one is being typed, and may be empty
 */
export function suggest(root: CommandGroup, line: readonly string[]): Suggestions {
  const typed = line.at(-1) ?? '';
  let node: Node = root;
  let given = 0;
  let pending: string | undefined;
  for (const word of line.slice(0, -1)) {
    const options = optionsOf(node);
    if (pending !== undefined) pending = undefined;
    else if (word.startsWith('-'))
      pending = options.find(({ names, hasValue }) => hasValue && names.includes(word))?.flags;
    else {
      const child: Node | undefined = given === 0 ? childrenOf(node).find(({ name }) => name === word) : undefined;
      if (child) node = child;
      else given++;
    }
  }
  if (pending !== undefined) return { words: [], wantsDeployment: /--name\b/.test(pending) };
  if (typed.startsWith('-')) {
    const names = optionsOf(node).flatMap((option) => option.names.filter((name) => name.startsWith('--')));
    return { words: [...names, '--help'], wantsDeployment: false };
  }
  const children = given === 0 ? childrenOf(node).map(({ name }) => name) : [];
  const places = 'commands' in node ? [] : Object.entries(node.words ?? {});
  const [place, meaning = ''] = places[given] ?? (places.at(-1)?.[0].includes('...') ? places.at(-1) : undefined) ?? [];
  const isName = place !== undefined && /^[<[]name/.test(place) && /deployment/.test(meaning);
  return { words: [...children, ...(place === '<shell>' ? SHELLS : [])], wantsDeployment: isName };
}

/** The shells that a completion exists for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

function childrenOf(node: Node): readonly Node[] {
  return 'commands' in node ? node.commands : (node.subcommands ?? []);
}

function optionsOf(node: Node) {
  const table: OptionTable = { ...GLOBAL_OPTIONS, ...('commands' in node ? {} : node.options) };
  return Object.keys(table).map((flags) => ({
    flags,
    names: flags.split(/[ ,]+/).filter((part) => part.startsWith('-')),
    hasValue: flags.includes('<'),
  }));
}
