import type { Tokens } from './shared-tokens.ts';

/** Returns false when the tokens of two sign-ins name different people. Nothing is verified here; the agent does that. */
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
      // An opaque token names nobody.
    }
  }
  return undefined;
}
