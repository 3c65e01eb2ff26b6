import type { Tool } from '@berth/agent-core';
import type { StoredApproval } from '@berth/agent-store';
import { createValidationError } from '@berth/contract';
import { z } from 'zod';

/**
 * Checks arguments that a person changed, before the decision is stored: wrong ones must not spend the approval. The agent's own tools
 * check by themselves; others by the input schema that was stored with the approval.
 * @throws `invalid` saying what is wrong with which argument.
 */
export function checkChangedArgs(
  { tool: name, definitionHash, inputSchema }: StoredApproval,
  args: Readonly<Record<string, unknown>>,
  ownTools: readonly Tool[] = [],
): void {
  const own = ownTools.find((tool) => tool.name === name && tool.definitionHash === definitionHash);
  const schema = inputSchema === undefined ? undefined : readSchema(inputSchema);
  const issues = schema?.safeParse(args).error?.issues ?? [];
  const problems = issues.map(({ path, message }) => ({ loc: path, msg: message }));
  const problem = problems.length === 0 ? own?.check(args) : undefined;
  if (problem !== undefined) problems.push({ loc: [], msg: problem });
  if (problems.length === 0) return;
  throw createValidationError(
    problems.map(({ loc, msg }) => ({
      loc: ['body', 'args', ...loc.map((part) => (typeof part === 'number' ? part : String(part)))],
      msg,
      type: 'invalid_argument',
    })),
  );
}

/** Returns undefined for a schema that can't be read: the tool itself then refuses wrong arguments. */
function readSchema(text: string): z.ZodType | undefined {
  try {
    return z.fromJSONSchema(JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    return undefined;
  }
}
