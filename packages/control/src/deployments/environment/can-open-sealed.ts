import type { Database } from '@berth/database';
import { createSecretBox } from '@berth/kit/node';
import type { Kysely } from 'kysely';

/** The keys that seal what the database holds, 32 bytes each. */
export interface SealingKeys {
  readonly environmentKey: Uint8Array;
  readonly identityKey: Uint8Array;
}

/** Returns whether all sealed rows of the database were sealed with these keys. */
export async function canOpenSealed(db: Kysely<Database>, keys: SealingKeys): Promise<boolean> {
  const environment = `${createSecretBox(keys.environmentKey).prefix}%`;
  const identity = `${createSecretBox(keys.identityKey).prefix}%`;
  const strange = await Promise.all([
    db
      .selectFrom('environment_variables')
      .select('key')
      .where('sealed_value', 'not like', environment)
      .executeTakeFirst(),
    db.selectFrom('cron_tokens').select('deployment').where('sealed_token', 'not like', environment).executeTakeFirst(),
    db.selectFrom('identity_keys').select('kid').where('sealed_private_key', 'not like', identity).executeTakeFirst(),
  ]);
  return strange.every((row) => row === undefined);
}
