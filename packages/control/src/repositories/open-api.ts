import { repositoryContext } from '@berth/database';
import type { DeployKey } from '@berth/git';
import type { ForgeApi } from './forges/forge.ts';
import { locateRepository, openForgeApi } from './forges/open-forge.ts';
import type { RepositoryContext, RepositoryRow } from './repository-context.ts';

/** Returns the access token of a repository; undefined without one. */
export const openToken = (row: RepositoryRow, { sealer }: Pick<RepositoryContext, 'sealer'>): string | undefined =>
  row.sealed_token === null ? undefined : sealer.open(row.sealed_token, repositoryContext(row.id, 'token'));

/** Returns the deploy key of a repository; undefined without one. */
export const openDeployKey = (
  { id, sealed_deploy_key: sealed, ssh_host_key: hostKey }: RepositoryRow,
  { sealer }: Pick<RepositoryContext, 'sealer'>,
): DeployKey | undefined =>
  sealed === null || hostKey === null
    ? undefined
    : { privateKey: sealer.open(sealed, repositoryContext(id, 'deploy_key')), hostKey };

/** Returns the API of a repository; undefined without a token. */
export function openApi(
  row: RepositoryRow,
  context: Pick<RepositoryContext, 'sealer' | 'access'>,
): ForgeApi | undefined {
  const token = openToken(row, context);
  return token === undefined ? undefined : openForgeApi(locateRepository(row.url, row.forge), token, context.access);
}
