import { defineCommand } from '../../command/command.ts';
import { formatFacts } from '../../output/format-facts.ts';

/** `berth whoami`. */
export const whoami = defineCommand({
  name: 'whoami',
  summary: 'Show the account, server and key in use',
  examples: [['berth whoami', 'the account of the key in use']],
  async run(_input, { connect, target, output }) {
    const me = await (await connect()).get('/v1/user');
    const { baseUrl, urlFrom, credentialFrom } = await target();
    output.json({ ...me, server: baseUrl });
    output.print(
      formatFacts(
        [
          ['Account', me.account.name],
          ...(me.user ? [['Person', `${me.user.name} <${me.user.email}>`] as const] : []),
          ['Key', me.key ? `${me.key.name} (${me.key.start}…)` : 'none, a session'],
          ['Scopes', me.scopes.join(', ')],
          ['Server', `${baseUrl} (from ${urlFrom})`],
          ['Credential', `from ${credentialFrom ?? 'nowhere'}`],
        ],
        output.style,
      ),
    );
  },
});
