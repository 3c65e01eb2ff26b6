import { AGENT_OPTIONS } from '../../chat/use-agent.ts';
import { defineCommand } from '../../command/command.ts';
import { DECISION_WORDS, decide } from './decide.ts';

/** `berth approvals deny`. */
export const approvalsDeny = defineCommand({
  name: 'deny',
  summary: 'Deny pending tool calls',
  description: "The calls don't run, and the agent learns that you denied them. The agent continues automatically.",
  words: DECISION_WORDS,
  options: { '--reason <text>': 'Reason shown to the agent and in the chat; at most 500 characters', ...AGENT_OPTIONS },
  examples: [
    ['berth approvals deny my-agent Xq3…', 'without a reason'],
    ['berth approvals deny my-agent Xq3… --reason "Ask Ann first."', 'the agent reads the reason'],
  ],
  async run({ words, options }, context) {
    await decide(words, options, { decision: 'deny', ...(options.reason && { reason: options.reason }) }, context);
  },
});
