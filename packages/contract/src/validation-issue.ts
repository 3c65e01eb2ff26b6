import { z } from '@hono/zod-openapi';
import { describeIssue } from './describe-issue.ts';

/** An invalid field of a request. Source: docs/contract/control-plane.md §1. */
export const validationIssueSchema = z
  .object({
    loc: z.array(z.union([z.string(), z.int()])).openapi({ example: ['body', 'limit'] }),
    msg: z.string(),
    type: z.string(),
  })
  .openapi('ValidationError');

export type ValidationIssue = z.infer<typeof validationIssueSchema>;

/** Body of a 422. */
export const validationErrorBodySchema = z
  .object({ detail: z.array(validationIssueSchema) })
  .openapi('HTTPValidationError');

/** Body of every other error. */
export const errorBodySchema = z.object({ detail: z.string() }).openapi('Error');

/** The part of a request that holds a value: the first element of `loc`. */
export type InputPlace = 'body' | 'query' | 'path' | 'header';

/** The fields of a Zod issue that are used here. */
interface SchemaIssue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly params?: Record<string, unknown> | undefined;
}

/**
 * Converts Zod's issues with `input` to the contract's form. The `type` is `missing` for an absent field, `params.type` for
 * a custom check, and Zod's code otherwise (`invalid_type`, `too_small`, `too_big`, `invalid_format`…).
 */
export function toValidationIssues(
  place: InputPlace,
  issues: readonly SchemaIssue[],
  input: unknown,
): ValidationIssue[] {
  return issues.map((issue) => {
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
    const value = readPath(input, path);
    const isMissing = issue.code === 'invalid_type' && path.length > 0 && value === undefined;
    const type = isMissing ? 'missing' : String(issue.params?.['type'] ?? issue.code ?? 'invalid');
    return {
      loc: [place, ...path],
      msg: isMissing ? 'Field required' : describeIssue({ ...issue, input: value }),
      type,
    };
  });
}

function readPath(value: unknown, path: readonly (string | number)[]): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = (current as Record<string | number, unknown>)[part];
  }
  return current;
}
