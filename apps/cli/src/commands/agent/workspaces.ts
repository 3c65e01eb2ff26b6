import { explainUnauthenticated, findAgent } from '../../chat/find-agent.ts';
import { listWorkspaces } from '../../chat/find-workspace.ts';
import { defineCommand } from '../../command/command.ts';

/** `berth workspaces`. */
export const workspaces = defineCommand({
  name: 'workspaces',
  summary: 'List the workspaces of an agent that you are in',
  words: { '<agent>': 'Name of a deployment, or the address of any agent' },
  options: { '--token <token>': 'Who you are, for an agent with an identity provider of its own (BERTH_AGENT_TOKEN)' },
  examples: [
    ['berth workspaces my-agent', 'what `berth chat my-agent --workspace` takes'],
    ['berth workspaces my-agent --json', 'as one JSON array'],
  ],
  async run({ words: [word = ''], options }, context) {
    const { output } = context;
    const agent = await findAgent(word, options.token, context);
    const rows = await listWorkspaces(agent).catch((error: unknown) => {
      throw explainUnauthenticated(error, word);
    });
    output.json(rows);
    output.table(rows, [
      { heading: 'ID', text: ({ id }) => id },
      { heading: 'ROLE', text: ({ role }) => role ?? '' },
      // Last, because the width of an icon on a terminal is unknown.
      { heading: 'NAME', text: ({ name, icon = '' }) => `${icon} ${name}`.trim(), paint: output.style.bold },
    ]);
  },
});
