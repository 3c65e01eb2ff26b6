import type { Logger } from '@berth/kit';
import { ensureKeyFile, keyFileOf, readKeyFile } from './key-file.ts';
import { keysOfEnvironment } from './keys-of-environment.ts';
import { joinKeys, parseKeys, type SealingKey } from './parse-keys.ts';

/** Options of {@link loadKeys}. */
export interface LoadKeysOptions {
  /** `AgentOptions.secretKeys`. */
  readonly secretKeys: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly dataFolder: string;
  readonly isProduction: boolean;
  readonly logger: Logger;
}

/**
 * Returns the keys that seal credentials: those that the owner gives, else those in the data folder, created on the
 * first start. When the owner gives keys, the file's keys only open what they sealed before.
 * @throws `invalid` for malformed keys; `unavailable` when the file can't be read or created.
 */
export async function loadKeys({
  secretKeys,
  environment,
  dataFolder,
  isProduction,
  logger,
}: LoadKeysOptions): Promise<readonly SealingKey[]> {
  const file = keyFileOf(dataFolder);
  const given = secretKeys === undefined ? keysOfEnvironment(environment) : parseKeys(secretKeys, 'secretKeys');
  if (given) return joinKeys([given, (await readKeyFile(file)) ?? []], 'The keys of connections');
  const keys = joinKeys([await ensureKeyFile(file)], file);
  if (isProduction) {
    logger.warn({ file }, 'what people connect is sealed with a key that lies beside it: set BERTH_AGENT_KEYS');
  }
  return keys;
}
