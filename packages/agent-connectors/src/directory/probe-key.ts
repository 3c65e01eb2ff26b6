import type { Outbound } from '@berth/agent-core';
import type { OwnerKey } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { OutboundError } from '@berth/outbound';
import type { Connector, KeyAuth } from '../connector/connector.ts';
import type { KeyCredential } from '../connector/grants.ts';
import { grantOf } from '../credentials/grant-of.ts';

const TIMEOUT_MS = 10_000;

/**
 * Checks a new key with the API, when the owner declared a probe.
 * @throws `bad_request` when the API rejects the key, `unavailable` when the API can't be reached; neither contains any
 * of the API's response.
 */
export async function probeKey(
  outbound: Pick<Outbound, 'request'>,
  connector: Connector,
  { probe }: KeyAuth,
  credential: KeyCredential,
): Promise<void> {
  const base = credential.endpoint ?? connector.api?.baseUrl;
  if (!probe || base === undefined) return;
  const { title, name, api } = connector;
  const url = new URL(probe.path, base);
  const headers = new Headers(api?.headers);
  const held = { owner: '' as OwnerKey, connector: name, version: '', isRejected: false, credential };
  grantOf(held, connector, 'user').authorize(url, headers);
  let status: number;
  try {
    const answer = await outbound.request({
      url: url.href,
      method: probe.method,
      headers: Object.fromEntries(headers),
      timeoutMs: TIMEOUT_MS,
    });
    status = answer.status;
    answer.discard();
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw createError('unavailable', `${title} could not verify the key, so it was not saved. Try again.`);
  }
  if (status >= 200 && status < 300) return;
  if (status >= 500 || status === 429) {
    throw createError('unavailable', `${title} has an error (${status}), so the key was not saved. Try again later.`);
  }
  throw createError('bad_request', `${title} rejected this key (${status}). Check that it was pasted completely.`);
}
