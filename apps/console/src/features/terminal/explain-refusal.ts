import type { Client } from '@berth/client';
import { BerthError } from '@berth/kit';

/**
 * Returns why the WebSocket of a terminal was refused, which browsers don't tell a page: the same request without a handshake gets the
 * same answer. Returns undefined where it is accepted up to the handshake.
 */
export async function explainRefusal(client: Pick<Client, 'get'>, name: string): Promise<unknown> {
  try {
    await client.get('/v1/deployment/{name}/exec', { params: { path: { name } } });
  } catch (error) {
    if (!BerthError.is(error, 'bad_request')) return error;
  }
  return undefined;
}
