import { toConfirmation } from '../../chat/ask-approvals.ts';
import { AGENT_OPTIONS, AGENT_WORD, useAgent } from '../../chat/use-agent.ts';
import { defineCommand } from '../../command/command.ts';
import { formatDuration } from '../../output/format-duration.ts';
import { explainNoApprovals } from './decide.ts';

/** `berth approvals ls`. */
export const approvalsLs = defineCommand({
  name: 'ls',
  summary: 'List pending tool calls in all your chats with an agent',
  words: AGENT_WORD,
  options: {
    '--members': 'Calls of all members of the workspace; for owners and admins, if the agent allows it',
    ...AGENT_OPTIONS,
  },
  examples: [
    ['berth approvals ls my-agent', 'your pending calls, next to expire first'],
    ['berth approvals ls my-agent --workspace Marketing --members', 'pending calls in the chats of a team'],
    ['berth approvals ls my-agent --json', 'with all arguments, as one JSON array'],
  ],
  async run({ words: [word = ''], options }, context) {
    const { output, clock } = context;
    const scope = options.members ? 'workspace' : 'mine';
    const rows = await useAgent(word, options, context, (agent) =>
      agent.get('/approvals', { params: { query: { scope } } }).catch(explainNoApprovals),
    );
    output.json(rows);
    if (rows.length === 0) return output.say('No pending tool calls.');
    const asked = rows.map((row) => ({ row, ...toConfirmation(row) }));
    output.table(asked, [
      { heading: 'KEY', text: ({ key }) => key },
      ...(options.members ? [{ heading: 'USER', text: ({ row }: (typeof asked)[number]) => row.user_id ?? '' }] : []),
      { heading: 'EXPIRES', text: ({ row }) => `in ${formatDuration(Date.parse(row.expires_at) - clock.nowMs())}` },
      { heading: 'CALL', text: ({ label }) => label, paint: output.style.bold },
      { heading: 'TOOL', text: ({ tool, args }) => `${tool} ${args}` },
    ]);
    output.say(`\n  berth approvals approve ${word} KEY   or   berth approvals deny ${word} KEY --reason "…"`);
  },
});
