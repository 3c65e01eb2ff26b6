import { IO_NICE, LEASH, limitArguments, NICE, privilegeArguments, type Tools } from '../host/tools.ts';
import type { Identity } from '../identity/identity.ts';

export interface WrapOptions {
  readonly tools: Tools;
  readonly identity: Identity | undefined;
  readonly isLowPriority: boolean;
  /** For all processes of the user; where no control group counts those of the program. */
  readonly userProcesses: number | undefined;
  /** A program and its arguments that put what follows into a network of its own. */
  readonly enterNetwork: readonly string[];
}

/**
 * Puts the programs before bubblewrap that limit all of a sandbox, each replacing itself by the next: one process, one
 * more `exec` for each (some 0.7 ms). They are the host's own and run outside. Bubblewrap changes the user itself.
 */
export function wrapSandbox(argv: readonly string[], options: WrapOptions): string[] {
  const { tools, identity } = options;
  const wrapped = limit(options);
  // All that bubblewrap can't set: the other groups.
  if (identity && tools.setpriv) wrapped.push(tools.setpriv, `--groups=${identity.accountGid}`);
  return [...wrapped, ...argv];
}

/** Puts the programs before a program without a sandbox that limit it and take all privileges from it. */
export function wrapProgram(
  argv: readonly string[],
  options: WrapOptions & {
    /** Variables to set last. */
    readonly unsafe: Readonly<Record<string, string>>;
  },
): string[] {
  const { tools, identity, unsafe } = options;
  const assignments = Object.entries(unsafe).map(([name, value]) => `${name}=${value}`);
  const wrapped = limit(options);
  if (tools.setpriv) wrapped.push(tools.setpriv, ...(identity ? privilegeArguments(identity) : []), ...LEASH);
  if (tools.env && assignments.length > 0) wrapped.push(tools.env, ...assignments);
  return [...wrapped, ...argv];
}

function limit({ tools, isLowPriority, userProcesses, enterNetwork }: WrapOptions): string[] {
  return [
    ...(tools.prlimit ? [tools.prlimit, ...limitArguments({ processes: userProcesses })] : []),
    ...(isLowPriority && tools.ionice ? [tools.ionice, ...IO_NICE] : []),
    ...(isLowPriority && tools.nice ? [tools.nice, ...NICE] : []),
    ...enterNetwork,
  ];
}
