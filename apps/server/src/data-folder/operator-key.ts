import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type AccountServices, createKeySecret } from '@berth/accounts';
import { writePrivateFile } from './write-private-file.ts';

/** The operator's API key, found or created by this start. */
export interface OperatorKey {
  readonly secret: string;
  /** Where the CLI on this machine finds it. */
  readonly file: string;
  /** True on the start that created it, the only time it is printed. */
  readonly isGenerated: boolean;
  /** True when the operator chose it with BERTH_BOOTSTRAP_KEY. */
  readonly isChosen: boolean;
  /** True when the key was revoked. */
  readonly isRevoked: boolean;
  /** True on the start that created the operator's account. */
  readonly isFirst: boolean;
}

/** Options of {@link ensureOperatorKey}. */
export interface OperatorKeyOptions {
  readonly dataFolder: string;
  readonly accounts: AccountServices['accounts'];
  /** Chosen by the operator, for automation. */
  readonly bootstrapKey: string | undefined;
  /** Other servers may use the database. */
  readonly isShared: boolean;
}

/**
 * Ensures that the operator's account exists and that the key in `<data>/api-key` (0600) is one of its keys.
 * The file is written before the database, so a crash in between can't lose the key. A server that joins others whose operator has an
 * account makes no key of its own: it would add a credential with each new data folder. Returns undefined then.
 * @throws BerthError `conflict` when the chosen key belongs to another account
 */
export async function ensureOperatorKey({
  dataFolder,
  accounts,
  bootstrapKey,
  isShared,
}: OperatorKeyOptions): Promise<OperatorKey | undefined> {
  const file = path.join(dataFolder, 'api-key');
  const stored = existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  if (isShared && (bootstrapKey ?? stored) === undefined && (await accounts.hasOperator())) return undefined;
  const secret = bootstrapKey ?? stored ?? createKeySecret();
  if (secret !== stored) writePrivateFile(file, `${secret}\n`);
  const { isRevoked, isNew: isFirst } = await accounts.ensureOperator({ secret });
  const isChosen = bootstrapKey !== undefined;
  return { secret, file, isGenerated: !isChosen && stored === undefined, isChosen, isRevoked, isFirst };
}
