import type { Tokens } from './shared-tokens.ts';

/** False when two sign-ins are known to be of different persons: their tokens say so. Nothing is verified here, the agent does that. */
export function isSamePerson(one: Tokens | undefined, other: Tokens | undefined): boolean {
  const [subject, otherSubject] = [subjectOf(one), subjectOf(other)];
  return subject === undefined || otherSubject === undefined || subject === otherSubject;
}

function subjectOf(tokens: Tokens | undefined): string | undefined {
  for (const token of [tokens?.id, tokens?.access]) {
    const [, payload] = token?.split('.') ?? [];
    if (payload === undefined) continue;
    try {
      const { sub } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { sub?: unknown };
      if (typeof sub === 'string') return sub;
    } catch {
      // Not a token that says anything.
    }
  }
  return undefined;
}
