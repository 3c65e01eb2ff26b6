import { IO_NICE, LEASH, limitArguments, NICE, privilegeArguments, type Tools } from '../host/tools.ts';
import type { Identity } from '../identity/identity.ts';

export interface WrapOptions {
  readonly tools: Tools;
  readonly identity: Identity | undefined;
  /** Inside of a sandbox that ties lives together and forbids new privileges itself. */
  readonly isSandboxed: boolean;
  readonly isLowPriority: boolean;
  /** For all processes of the user; where no control group counts those of the program. */
  readonly userProcesses: number | undefined;
  /** Variables to set last. */
  readonly unsafe: Readonly<Record<string, string>>;
}

/**
 * Puts the programs before `argv` that limit it and take privileges from it, each replacing itself by the next: one
 * process, one more `exec` for each (some 0.7 ms).
 */
export function wrapCommand(argv: readonly string[], options: WrapOptions): string[] {
  const { tools, identity, isSandboxed, isLowPriority, userProcesses, unsafe } = options;
  const assignments = Object.entries(unsafe).map(([name, value]) => `${name}=${value}`);
  const wrapped: string[] = [];
  if (tools.prlimit) wrapped.push(tools.prlimit, ...limitArguments({ processes: userProcesses }));
  if (isLowPriority && tools.ionice) wrapped.push(tools.ionice, ...IO_NICE);
  if (isLowPriority && tools.nice) wrapped.push(tools.nice, ...NICE);
  if (tools.setpriv) {
    const privileges = identity ? privilegeArguments(identity) : [];
    const leash = isSandboxed ? [] : LEASH;
    if (privileges.length + leash.length > 0) wrapped.push(tools.setpriv, ...privileges, ...leash);
  }
  if (tools.env && assignments.length > 0) wrapped.push(tools.env, ...assignments);
  return [...wrapped, ...argv];
}
