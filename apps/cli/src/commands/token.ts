import { defineCommand } from '../command.ts';

export const token = defineCommand({
  name: 'token',
  summary: 'Print a token that says to a deployed agent who you are',
  description: 'It is good at that one agent, for ten minutes.',
  words: [{ name: 'name', description: 'Name of the deployment' }],
  examples: [
    ['berth token my-agent', 'the token alone'],
    [
      `curl -N http://my-agent.localhost:8787/chat -H "Authorization: Bearer $(berth token my-agent)" --json '{"messages":[{"role":"user","content":"Hello"}]}'`,
      'talks to the agent',
    ],
  ],
  async run({ words: [name = ''] }, { connect, output }) {
    const made = await (await connect()).createAgentToken(name);
    output.json(made);
    output.print(made.token);
  },
});
