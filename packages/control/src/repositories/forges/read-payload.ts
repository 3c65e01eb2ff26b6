import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** The hash of a commit: SHA-1 or SHA-256. */
export const shaSchema = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/);

/** The number of a pull request. */
export const numberSchema = z.int().min(1).max(2_147_483_647);

/** A text of which the first line is shown. */
export const titleSchema = z.string().transform((text) => text.split('\n', 1)[0]?.trim().slice(0, 200) ?? '');

/** A commit in the request about a push. */
export const commitSchema = z.object({
  added: z.array(z.string()).nullish(),
  removed: z.array(z.string()).nullish(),
  modified: z.array(z.string()).nullish(),
});

/** Returns all files that the commits name. */
export function filesOf(commits: readonly z.infer<typeof commitSchema>[]): string[] {
  return commits.flatMap(({ added, removed, modified }) => [...(added ?? []), ...(removed ?? []), ...(modified ?? [])]);
}

/** Returns the branch of a full ref; undefined for a tag. */
export function branchOf(ref: string): string | undefined {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined;
}

/** Returns whether a hash stands for "no commit": the branch was created or deleted. */
export const isZero = (sha: string) => /^0+$/.test(sha);

/** Compares two texts in a time that doesn't depend on where they differ. */
export function isSame(given: string, expected: string): boolean {
  const key = 'comparison';
  const digest = (text: string) => createHmac('sha256', key).update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** Returns whether `given` is the HMAC-SHA256 of the body in hexadecimal. */
export function isHmac(given: string | undefined, body: Uint8Array, secret: string): boolean {
  return isSame(given ?? '', createHmac('sha256', secret).update(body).digest('hex'));
}

/** Returns whether two public keys are the same, whatever their comments: forges leave those out. */
export const isSameKey = (one: string, other: string) =>
  one.split(' ').slice(0, 2).join(' ') === other.split(' ').slice(0, 2).join(' ');
