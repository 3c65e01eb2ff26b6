import { BerthError } from '@berth/kit';
import { defineCommand } from '../../command/command.ts';

/** `berth logout`. */
export const logout = defineCommand({
  name: 'logout',
  summary: 'Sign out of a server',
  examples: [
    ['berth logout', 'signs out of the current server'],
    ['berth logout --url https://api.example.com', 'signs out of that server'],
  ],
  async run(_input, { config, target, clientOf, output }) {
    const { baseUrl } = await target();
    const { current, servers } = await config.read();
    const { [baseUrl]: forgotten, ...others } = servers;
    if (forgotten?.bearer) {
      // The token is deleted even when the session has expired or the server is unreachable.
      await clientOf({ baseUrl, credential: { bearer: forgotten.bearer } })
        .post('/v1/auth/sign-out')
        .catch((error: unknown) => {
          if (!BerthError.is(error)) throw error;
        });
    }
    await config.write({ ...(current !== undefined && current !== baseUrl ? { current } : {}), servers: others });
    output.json({ server: baseUrl, forgotten: forgotten !== undefined });
    output.print(forgotten ? `Signed out of ${baseUrl}.` : `No key for ${baseUrl} was saved.`);
  },
});
