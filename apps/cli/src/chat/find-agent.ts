import type { AgentClient } from '@berth/client';
import { createNodeAgentClient, localhostFetch } from '@berth/client/node';
import { BerthError } from '@berth/kit';
import type { Context } from '../command/context.ts';
import { parseServerAddress } from '../config/resolve-target.ts';
import { UsageError } from '../errors/usage-error.ts';

/** The platform's token is renewed this long before it expires, because a turn may take long. */
const SPARE_MS = 120_000;

/**
 * Finds an agent by a deployment's name or an address. The person's token is `token`, that of the environment, or one of the platform
 * for a deployment; for an address, the one that an agent in development gives to all callers.
 * @throws UsageError for a word that is neither; BerthError `not_found` for an unknown deployment
 */
export async function findAgent(
  word: string,
  token: string | undefined,
  context: Pick<Context, 'clock' | 'connect' | 'environment' | 'signal' | 'userAgent'>,
): Promise<AgentClient> {
  const { clock, connect, environment, signal, userAgent } = context;
  const given = token ?? (environment['BERTH_AGENT_TOKEN'] || undefined);
  const common = { clock, signal, userAgent };
  if (isAddress(word)) {
    const baseUrl = parseServerAddress(word, 'The address');
    return createNodeAgentClient({ ...common, baseUrl, token: given ?? (await publicToken({ ...common, baseUrl })) });
  }
  if (!/^[a-z]([a-z0-9-]*[a-z0-9])?$/.test(word)) {
    throw new UsageError(
      `"${word}" is neither the name of a deployment nor an address such as https://my-agent.example.com`,
    );
  }
  const platform = await connect();
  const { url } = await platform.get('/v1/deployment/{name}', { params: { path: { name: word } } });
  if (given !== undefined) return createNodeAgentClient({ ...common, baseUrl: url, token: given });
  let current: { readonly token: string; readonly untilMs: number } | undefined;
  const freshToken = async () => {
    if (current === undefined || current.untilMs - SPARE_MS < clock.nowMs()) {
      const made = await platform.post('/v1/user/token', { body: { deployment: word } });
      current = { token: made.token, untilMs: Date.parse(made.expires_at) };
    }
    return current.token;
  };
  const authorisedFetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    request.headers.set('authorization', `Bearer ${await freshToken()}`);
    return localhostFetch(request);
  };
  return createNodeAgentClient({ ...common, baseUrl: url, fetch: authorisedFetch });
}

/** Returns the token that an agent with `dev()` gives to all callers; undefined for any other, and for one that doesn't answer. */
async function publicToken(options: Parameters<typeof createNodeAgentClient>[0]): Promise<string | undefined> {
  // Whatever is wrong is reported by the request that this is for.
  const config = await createNodeAgentClient(options)
    .get('/config')
    .catch(() => undefined);
  return config?.sign_in && 'token' in config.sign_in ? config.sign_in.token : undefined;
}

function isAddress(word: string): boolean {
  return word.includes('://') || word.includes('.') || word.includes(':') || word === 'localhost';
}

/** Adds to an `unauthenticated` error how to give a token. Returns other errors unchanged. */
export function explainUnauthenticated(error: unknown, word: string): unknown {
  if (!BerthError.is(error, 'unauthenticated')) return error;
  const message = `${error.message}\nGive --token or BERTH_AGENT_TOKEN, a token of the identity provider of ${word}.`;
  const details = { ...error.details, agent: word };
  return new BerthError({ code: error.code, status: error.status, message, details, cause: error });
}
