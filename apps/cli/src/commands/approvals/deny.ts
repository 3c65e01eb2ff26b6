import { AGENT_OPTIONS } from '../../chat/use-agent.ts';
import { defineCommand } from '../../command/command.ts';
import { DECISION_WORDS, decide } from './decide.ts';

/** `berth approvals deny`. */
export const approvalsDeny = defineCommand({
  name: 'deny',
  summary: 'Refuse tool calls that wait for your decision',
  description: 'They don’t run, and the agent is told that you refused. The agent goes on by itself.',
  words: DECISION_WORDS,
  options: { '--reason <text>': 'Why, for the agent and for the chat; at most 500 characters', ...AGENT_OPTIONS },
  examples: [
    ['berth approvals deny my-agent Xq3…', 'without a reason'],
    ['berth approvals deny my-agent Xq3… --reason "Ask Ann first."', 'the agent reads the reason'],
  ],
  async run({ words, options }, context) {
    await decide(words, options, { decision: 'deny', ...(options.reason && { reason: options.reason }) }, context);
  },
});
