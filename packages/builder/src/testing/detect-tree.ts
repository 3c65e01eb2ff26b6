import { expect } from 'vitest';
import { detectPlan } from '../detect/detect-plan.ts';
import { describePlan, type Plan } from '../plan/plan.ts';
import { createMemoryFiles } from './memory-files.ts';

/** A source tree: path to content. */
export type Tree = Readonly<Record<string, string>>;

/** A description, a source tree, its plan as displayed, and the argv of its start (null for a site). */
export type DetectionCase = readonly [what: string, tree: Tree, shown: string, start: readonly string[] | null];

/** Detects the plan of a tree on a machine that has `programs`, some with known `versions`. */
export const detectTree = (
  tree: Tree,
  programs: readonly string[] = ['node', 'npm', 'python3', 'go'],
  versions: Readonly<Record<string, string>> = {},
) =>
  detectPlan(createMemoryFiles(tree), {
    has: async (name) => programs.includes(name),
    versionOf: async (name) => (programs.includes(name) ? versions[name] : undefined),
    platform: 'linux-x64',
  });

/** Returns a tree with a package.json that contains `fields`. */
export const packageJson = (fields: object): Tree => ({ 'package.json': JSON.stringify(fields) });

/** Checks a plan against the expectations of a case. */
export function expectPlan(plan: Plan | undefined, shown: string, start: readonly string[] | null): void {
  expect(plan && describePlan(plan)).toBe(shown);
  expect(plan?.start?.argv ?? null).toEqual(start);
  expect((plan?.start === null) === (plan?.site !== null)).toBe(true);
}
