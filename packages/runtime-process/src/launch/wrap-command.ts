import { IO_NICE, LEASH, limitArguments, NICE, privilegeArguments, type Tools } from '../host/tools.ts';
import type { Identity } from '../identity/can-reach.ts';

/** The limits that wrappers set. */
export interface WrapOptions {
  readonly tools: Tools;
  readonly identity: Identity | undefined;
  readonly isLowPriority: boolean;
  /** Maximum processes of the user, where no control group limits those of the program. */
  readonly userProcesses: number | undefined;
  /** A program with arguments that runs the rest of the command in the program's network. */
  readonly enterNetwork: readonly string[];
}

/**
 * Returns the command of bubblewrap preceded by the wrappers that limit the sandbox. Each wrapper replaces itself by the next program, which
 * costs one `exec` (some 0.7 ms). The wrappers belong to the host and run outside of the sandbox. Bubblewrap changes the user itself.
 */
export function wrapSandbox(argv: readonly string[], options: WrapOptions): string[] {
  const { tools, identity } = options;
  const wrapped = limit(options);
  // bubblewrap can't set the supplementary groups.
  if (identity && tools.setpriv) wrapped.push(tools.setpriv, `--groups=${identity.accountGid}`);
  return [...wrapped, ...argv];
}

/** Returns the command of a program without a sandbox, preceded by the wrappers that limit it and drop its privileges. */
export function wrapProgram(
  argv: readonly string[],
  options: WrapOptions & {
    /** Variables to set after privileges were dropped. */
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
