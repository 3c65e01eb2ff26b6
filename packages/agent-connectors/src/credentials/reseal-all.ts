import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { GrantStore, OAuthClientStore, StoredGrant, StoredOAuthClient } from '@berth/agent-store';
import { codeOf } from '@berth/kit/node';
import type { SecretRing } from './create-secret-ring.ts';
import type { Vault } from './create-vault.ts';

/** Rows per page. */
const PAGE = 100;

/** Dependencies of {@link resealAll}. */
export interface ResealDeps {
  readonly grants: Pick<GrantStore, 'listSealedOtherwise'>;
  readonly clients: Pick<OAuthClientStore, 'listSealedOtherwise' | 'reseal'>;
  readonly vault: Pick<Vault, 'reseal'>;
  readonly secrets: SecretRing;
}

/** The result of resealing everything. */
export interface Resealed {
  /** Number of rows that were resealed. */
  readonly count: number;
  /** Number of rows whose key is missing: they count as not connected. */
  readonly unreadable: number;
}

/**
 * Reseals everything that isn't sealed with the current key. It can be interrupted at any time and run again: resealed
 * rows are not read twice, and rows that change in the meantime are left alone.
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
  // The purpose and the context match those in `oauth/choose-client.ts`.
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

/**
 * Records beside the key file which key now seals everything, so that `berth agent rotate-keys --finish` knows when the
 * other keys can be removed. Does nothing when there is no key file.
 */
export async function noteSweep(dataFolder: string, keyId: string): Promise<void> {
  const file = path.join(dataFolder, '.secrets', 'sealed-with');
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, `${keyId}\n`, { mode: 0o600 });
    await rename(temporary, file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
