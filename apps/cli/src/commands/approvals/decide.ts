import type { DecideApproval } from '@berth/contract/agent';
import { createError } from '@berth/contract/errors';
import { BerthError } from '@berth/kit';
import { useAgent } from '../../chat/use-agent.ts';
import type { Context } from '../../command/context.ts';
import { cleanText } from '../../output/clean-text.ts';

/** The words of commands that decide on tool calls. */
export const DECISION_WORDS = {
  '<agent>': 'Name of a deployment, or the URL of any agent',
  '<key...>': 'Keys of calls, as `berth approvals ls` shows them',
} as const;

/** Sends a decision on each call that is named, in order, and prints what follows from it. It stops at the first that fails. */
export async function decide(
  [word = '', ...keys]: readonly string[],
  options: { readonly workspace?: string; readonly token?: string },
  decision: Pick<DecideApproval, 'decision' | 'reason'>,
  context: Context,
): Promise<void> {
  const { output } = context;
  await useAgent(word, options, context, async (agent) => {
    for (const key of new Set(keys)) {
      const decided = await agent
        .post('/approvals/{key}', { params: { path: { key } }, body: decision })
        .catch((error: unknown) => explainUndecided(error, key, word));
      output.json({ key, ...decided });
      const done = { approve: 'Approved', always: 'Approved, from now on,', deny: 'Denied' }[decided.decision];
      const next = decided.run
        ? 'The answer continues.'
        : 'The answer continues once no other call in its chat is pending, or with the next message.';
      output.say(cleanText(`${done} ${decided.tool}. ${next}`));
    }
  });
}

/** @throws `not_found` that says why there are no approvals; other errors unchanged */
export function explainNoApprovals(error: unknown): never {
  if (!BerthError.is(error, 'not_found')) throw error;
  const message = "This agent can't list approvals: it has no sign-in, or uses an older version of @berth/agent.";
  throw createError('not_found', message, { cause: error });
}

function explainUndecided(error: unknown, key: string, word: string): never {
  if (!BerthError.is(error, 'not_found')) throw error;
  const message = `No pending call has the key ${cleanText(key)}. It was decided, has expired, or belongs to another workspace (--workspace). \`berth approvals ls ${word}\` lists pending calls.`;
  throw createError('not_found', message, { cause: error });
}
