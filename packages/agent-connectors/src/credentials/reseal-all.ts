import type { GrantStore, OAuthClientStore, StoredGrant, StoredOAuthClient } from '@berth/agent-store';
import type { SecretRing } from '../connector/secret-ring.ts';
import type { Vault } from './create-vault.ts';

/** Rows that are read at once. */
const PAGE = 100;

export interface ResealDeps {
  readonly grants: Pick<GrantStore, 'listSealedOtherwise'>;
  readonly clients: Pick<OAuthClientStore, 'listSealedOtherwise' | 'reseal'>;
  readonly vault: Pick<Vault, 'reseal'>;
  readonly secrets: SecretRing;
}

/** What a walk over all that is sealed with other keys than the current one came to. */
export interface Resealed {
  /** Sealed anew. */
  readonly count: number;
  /** Sealed with keys that are not there: they read as not connected. */
  readonly unreadable: number;
}

/**
 * Seals all that is sealed with another key with the current one. It can be left at any moment, and begun again: what is sealed
 * anew is not looked at twice, what somebody changes meanwhile is left as they made it.
 * @throws the signal's reason.
 */
export async function resealAll(
  { grants, clients, vault, secrets }: ResealDeps,
  signal: AbortSignal,
): Promise<Resealed> {
  const prefix = `${secrets.currentKeyId}.`;
  const counts = { count: 0, unreadable: 0 };
  const walk = async <Row>(
    list: (after: Row | undefined) => Promise<readonly Row[]>,
    reseal: (row: Row) => Promise<boolean>,
  ) => {
    for (let page = await list(undefined); page.length > 0; page = await list(page.at(-1))) {
      for (const row of page) {
        signal.throwIfAborted();
        if (await reseal(row)) counts.count++;
        else counts.unreadable++;
      }
    }
  };
  await walk<StoredGrant>((after) => grants.listSealedOtherwise(prefix, PAGE, after), vault.reseal);
  // As connectors/oauth seals them.
  const box = secrets.box('oauth client');
  await walk<StoredOAuthClient>(
    (after) => clients.listSealedOtherwise(prefix, PAGE, after?.id),
    async (client) => {
      const text = box.open(client.sealed, [client.id]);
      if (text !== undefined) await clients.reseal(client, box.seal(text, [client.id]));
      return text !== undefined;
    },
  );
  return counts;
}
