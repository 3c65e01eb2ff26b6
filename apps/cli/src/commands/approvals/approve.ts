import { AGENT_OPTIONS } from '../../chat/use-agent.ts';
import { defineCommand } from '../../command/command.ts';
import { DECISION_WORDS, decide } from './decide.ts';

/** `berth approvals approve`. */
export const approvalsApprove = defineCommand({
  name: 'approve',
  summary: 'Approve pending tool calls',
  description:
    'Each call runs once, with the arguments that `berth approvals ls` shows. The agent continues automatically.',
  words: DECISION_WORDS,
  options: {
    '--always': 'Also let the tool run without approval until its definition changes',
    ...AGENT_OPTIONS,
  },
  examples: [
    ['berth approvals approve my-agent Xq3…', 'once'],
    ['berth approvals approve my-agent Xq3… --always', 'and never ask for this tool again'],
    ['berth approvals approve http://localhost:3000 Xq3… Rt9…', 'two calls of an agent that runs elsewhere'],
  ],
  async run({ words, options }, context) {
    await decide(words, options, { decision: options.always ? 'always' : 'approve' }, context);
  },
});
