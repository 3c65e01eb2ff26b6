import { agentExample, EXAMPLES, type Example } from '../../chat/agent-example.ts';
import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth token`. */
export const token = defineCommand({
  name: 'token',
  summary: 'Print an access token for a deployed agent',
  description: 'The token is valid for ten minutes, at this agent only.',
  words: { '<name>': 'Name of the deployment' },
  options: { '--example <kind>': `Print a program that calls the agent instead: ${EXAMPLES.join(', ')}` },
  examples: [
    ['berth token my-agent', 'the token alone'],
    [
      `curl -N http://my-agent.localhost:8787/chat -H "Authorization: Bearer $(berth token my-agent)" --json '{"messages":[{"role":"user","content":"Hello"}]}'`,
      'talks to the agent',
    ],
    ['berth token my-agent --example python > hello.py', 'a program that reaches the agent, also on localhost'],
    ['BERTH_AGENT_TOKEN=$(berth token my-agent) python3 hello.py', 'runs it'],
  ],
  async run({ words: [name = ''], options: { example } }, { connect, output }) {
    if (example !== undefined && !isExample(example)) {
      throw new UsageError(`No example "${example}". Available: ${EXAMPLES.join(', ')}.`);
    }
    const client = await connect();
    if (example !== undefined) {
      const { url } = await client.get('/v1/deployment/{name}', { params: { path: { name } } });
      const program = agentExample(example, name, url);
      output.json({ url, example: program });
      output.print(program);
      return;
    }
    const made = await client.post('/v1/user/token', { body: { deployment: name } });
    output.json(made);
    output.print(cleanText(made.token));
    if (output.isTerminal.result) {
      output.say(
        `\n  berth token ${name} --example ${EXAMPLES.join('|')}   prints a program that calls ${name} with it`,
      );
    }
  },
});

function isExample(word: string): word is Example {
  return EXAMPLES.some((example) => example === word);
}
