import { expect } from 'vitest';
import { detectPlan } from '../detect/detect-plan.ts';
import { describePlan, type Plan } from '../plan/plan.ts';
import { createMemoryFiles } from './memory-files.ts';

/** A source tree: path to content. */
export type Tree = Readonly<Record<string, string>>;

/** What stands in a tree, what people are shown of its plan, and the argv of its start (null for a site). */
export type DetectionCase = readonly [what: string, tree: Tree, shown: string, start: readonly string[] | null];

/** Detection on a machine that has `programs`, some of them of known `versions`. */
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

/** A tree with a package.json of these fields. */
export const packageJson = (fields: object): Tree => ({ 'package.json': JSON.stringify(fields) });

/** Holds a plan against what a case says. */
export function expectPlan(plan: Plan | undefined, shown: string, start: readonly string[] | null): void {
  expect(plan && describePlan(plan)).toBe(shown);
  expect(plan?.start?.argv ?? null).toEqual(start);
  expect((plan?.start === null) === (plan?.site !== null)).toBe(true);
}
