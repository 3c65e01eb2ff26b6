import { createError, findIsolationGaps, type IsolationGap } from '@berth/contract';
import type { Capability } from '@berth/runtime';
import type { Config } from '../config/read-config.ts';

/**
 * Checks that the machine has the isolation that the operator requires, or that open sign-up needs.
 * @throws BerthError `unavailable` with a sentence for each part that is missing, and its remedy
 */
export function checkIsolation(
  { requireIsolation, signUp }: Pick<Config, 'requireIsolation' | 'signUp'>,
  capabilities: readonly Capability[],
): void {
  if (!requireIsolation && !signUp) return;
  const gaps = findIsolationGaps(capabilities);
  if (gaps.length === 0) return;
  const flag = requireIsolation ? '--require-isolation' : '--sign-up';
  throw createError(
    'unavailable',
    [
      `${flag} needs a machine that keeps accounts apart, so Berth didn't start. On this one:`,
      ...gaps.map(describeGap),
      'docs/guides/security.md says what each kind of machine enforces.',
    ].join('\n'),
  );
}

function describeGap({ requirement, check }: IsolationGap): string {
  if (!check) return `- ${requirement.id}: This runtime doesn't have it. ${requirement.otherwise}`;
  const { title, status, detail, remedy } = check;
  return [`- ${title} is ${status}: ${detail}`, ...(remedy === undefined ? [] : [remedy])].join(' ');
}
