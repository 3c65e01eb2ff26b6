import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DELTAS } from './deltas.ts';
import { ALLOW, ARCHITECTURES, type Architecture, type Condition, fail, type Rule } from './rule.ts';

/** The folder of the profile and of the compiled filters. */
export const FILTER_FOLDER = path.resolve(import.meta.dirname, '../../packages/runtime-process/src/seccomp');

/** The part of a profile in Docker's format that is read. */
export interface Profile {
  readonly defaultErrnoRet: number;
  readonly syscalls: readonly ProfileEntry[];
}

/** A rule of the profile. */
export interface ProfileEntry {
  readonly names: readonly string[];
  readonly action: string;
  readonly errnoRet?: number;
  readonly args?: readonly ProfileArgument[];
  /** `minKernel` is taken as satisfied: the profile asks for 4.8, of 2016. */
  readonly includes?: ProfileFilter & { readonly minKernel?: string };
  readonly excludes?: ProfileFilter;
}

/** A condition on an argument of a system call. */
export interface ProfileArgument {
  readonly index: number;
  readonly op: string;
  /** The mask, with `SCMP_CMP_MASKED_EQ`. */
  readonly value: number;
  /** The value that the masked argument equals; 0 when absent. */
  readonly valueTwo?: number;
}

interface ProfileFilter {
  readonly caps?: readonly string[];
  readonly arches?: readonly string[];
}

/** Reads the profile that the filters are made from. */
export function readProfile(): Profile {
  return JSON.parse(readFileSync(path.join(FILTER_FOLDER, 'docker-default.json'), 'utf8')) as Profile;
}

/** Reads the numbers of the system calls of `architecture` by name. */
export function readNumbers(architecture: Architecture): ReadonlyMap<string, number> {
  const column = architecture === 'x64' ? 1 : 2;
  return new Map(
    readFileSync(path.join(import.meta.dirname, 'syscalls.txt'), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split(' '))
      .filter((words) => words[column] !== '-')
      .map((words) => [words[0] as string, Number(words[column])]),
  );
}

/**
 * Reads the rules for a program without capabilities, by system call: those of Docker's profile with {@link DELTAS}.
 * @throws Error for an unknown part of the profile's format
 */
export function readRules(profile: Profile, architecture: Architecture): ReadonlyMap<string, Rule> {
  const rules = new Map<string, Rule>(DELTAS.flatMap((delta) => delta.names.map((name) => [name, delta])));
  const ours = new Set(rules.keys());
  const denied = fail(profile.defaultErrnoRet);
  for (const entry of profile.syscalls.filter((one) => isApplicable(one, architecture))) {
    for (const name of entry.names.filter((one) => !ours.has(one))) {
      const action = readAction(entry);
      const known = rules.get(name) ?? { cases: [], otherwise: denied };
      rules.set(
        name,
        entry.args
          ? { ...known, cases: [...known.cases, { when: entry.args.map(readCondition), action }] }
          : { ...known, otherwise: action },
      );
    }
  }
  return rules;
}

/** Returns true when a rule applies on an architecture to programs without capabilities. */
export function isApplicable({ includes = {}, excludes = {} }: ProfileEntry, architecture: Architecture): boolean {
  const name = ARCHITECTURES[architecture].profile;
  if (includes.caps || (includes.arches && !includes.arches.includes(name))) return false;
  return !excludes.arches?.includes(name);
}

function readAction({ action, errnoRet }: ProfileEntry): number {
  if (action === 'SCMP_ACT_ALLOW') return ALLOW;
  if (action === 'SCMP_ACT_ERRNO' && errnoRet !== undefined) return fail(errnoRet);
  throw new Error(`unknown action in the profile: ${action}`);
}

function readCondition({ index, op, value, valueTwo = 0 }: ProfileArgument): Condition {
  if (op === 'SCMP_CMP_EQ') return { index, mask: 0xffff_ffff_ffff_ffffn, value: BigInt(value) };
  if (op === 'SCMP_CMP_MASKED_EQ') return { index, mask: BigInt(value), value: BigInt(valueTwo) };
  throw new Error(`unknown comparison in the profile: ${op}`);
}
