import { QueryClient, type QueryKey } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { QUERY_KEYS } from './query-keys.ts';

/** The keys of a cache full of two deployments, two volumes and the account that `key` makes stale. */
async function staleAfter(key: QueryKey): Promise<string[]> {
  const cached: Readonly<Record<string, QueryKey>> = {
    deployments: QUERY_KEYS.deployments,
    shop: QUERY_KEYS.deployment('shop'),
    'shop environment': QUERY_KEYS.environment('shop'),
    'shop domains': QUERY_KEYS.domains('shop'),
    'shop runs': QUERY_KEYS.runs('shop'),
    'shop metrics': QUERY_KEYS.metrics('shop', { last: '1h' }),
    blog: QUERY_KEYS.deployment('blog'),
    'blog domains': QUERY_KEYS.domains('blog'),
    'active deploys': QUERY_KEYS.activeDeploys,
    "shop's deploys": QUERY_KEYS.deploysOf('shop'),
    report: QUERY_KEYS.deployReport('dpl_1'),
    volumes: QUERY_KEYS.volumes,
    'deleted volumes': QUERY_KEYS.deletedVolumes,
    'data/': QUERY_KEYS.folder('data', '', ''),
    'data/a/': QUERY_KEYS.folder('data', 'a/', 'x'),
    'other/': QUERY_KEYS.folder('other', '', ''),
    'preview of data/a': QUERY_KEYS.preview('data', 'a'),
    user: QUERY_KEYS.user,
  };
  const queries = new QueryClient();
  for (const cachedKey of Object.values(cached)) queries.setQueryData(cachedKey, 'fresh');
  await queries.invalidateQueries({ queryKey: key });
  return Object.keys(cached).filter((name) => queries.getQueryState(cached[name] as QueryKey)?.isInvalidated);
}

// Fails when the key of a deployment's part no longer begins with the key of the deployment.
test('a key covers what lies under it, and nothing beside it', async () => {
  const ofShop = ['shop', 'shop environment', 'shop domains', 'shop runs', 'shop metrics'];
  expect(await staleAfter(QUERY_KEYS.deployment('shop'))).toEqual(ofShop);
  expect(await staleAfter(QUERY_KEYS.anyDeployment)).toEqual([...ofShop, 'blog', 'blog domains']);
  expect(await staleAfter(QUERY_KEYS.deployments)).toEqual(['deployments']);
  expect(await staleAfter(QUERY_KEYS.deploys)).toEqual(['active deploys', "shop's deploys", 'report']);
  expect(await staleAfter(QUERY_KEYS.volumes)).toEqual(['volumes', 'deleted volumes']);
  expect(await staleAfter(QUERY_KEYS.filesOf('data'))).toEqual(['data/', 'data/a/']);
  expect(await staleAfter(QUERY_KEYS.anyFiles)).toEqual(['data/', 'data/a/', 'other/']);
  expect(await staleAfter(QUERY_KEYS.user)).toEqual(['user']);
});
