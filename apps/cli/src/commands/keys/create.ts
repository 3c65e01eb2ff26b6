import type { Scope } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { parseSpanMs } from '../../flags/read-moment.ts';
import { cleanText } from '../../output/clean-text.ts';

/** `berth keys create`. */
export const keysCreate = defineCommand({
  name: 'create',
  summary: 'Create an API key; its secret is printed once',
  words: { '<name>': 'Name, such as ci' },
  options: {
    '--scope <scope>': {
      description: 'Scope: read, deploy, volumes, logs, billing or admin; all of yours by default',
      isRepeatable: true,
    },
    '--expires <when>': 'Duration such as 90d, or an RFC 3339 time; never by default',
  },
  examples: [
    ['berth keys create ci --scope deploy --scope logs --expires 90d', 'a key for a pipeline'],
    ['KEY=$(berth keys create me -q)', 'prints only the secret'],
  ],
  async run({ words: [name = ''], options }, { connect, output, clock }) {
    const expiresAt = options.expires === undefined ? undefined : readExpiry(options.expires, clock.nowMs());
    const created = await (await connect()).post('/v1/user/keys', {
      body: {
        name,
        // The server validates scopes and lists them.
        ...(options.scope ? { scopes: options.scope.flatMap((scope) => scope.split(',')) as Scope[] } : {}),
        ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
      },
    });
    output.json(created);
    output.say(cleanText(`Created ${created.name} (${created.id}): ${created.scopes.join(', ')}.`));
    output.say('Its secret, shown only once:');
    output.print(cleanText(created.secret));
  },
});

function readExpiry(text: string, nowMs: number): string {
  const spanMs = parseSpanMs(text);
  if (spanMs !== undefined) return new Date(nowMs + spanMs).toISOString();
  const atMs = Date.parse(text);
  if (Number.isNaN(atMs))
    throw new UsageError('--expires must be a duration such as 90d, or a time such as 2027-01-31T00:00:00Z');
  return new Date(atMs).toISOString();
}
