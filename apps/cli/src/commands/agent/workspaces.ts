import { listWorkspaces } from '../../chat/find-workspace.ts';
import { AGENT_WORD, TOKEN_OPTION, useAgent } from '../../chat/use-agent.ts';
import { defineCommand } from '../../command/command.ts';

/** `berth workspaces`. */
export const workspaces = defineCommand({
  name: 'workspaces',
  summary: 'List your workspaces of an agent',
  words: AGENT_WORD,
  options: TOKEN_OPTION,
  examples: [
    ['berth workspaces my-agent', 'IDs and names for `berth chat my-agent --workspace`'],
    ['berth workspaces my-agent --json', 'as one JSON array'],
  ],
  async run({ words: [word = ''], options }, context) {
    const { output } = context;
    const rows = await useAgent(word, options, context, listWorkspaces);
    output.json(rows);
    output.table(rows, [
      { heading: 'ID', text: ({ id }) => id },
      { heading: 'ROLE', text: ({ role }) => role ?? '' },
      // Last, because the width of an icon on a terminal is unknown.
      { heading: 'NAME', text: ({ name, icon = '' }) => `${icon} ${name}`.trim(), paint: output.style.bold },
    ]);
  },
});
