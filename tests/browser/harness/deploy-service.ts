import { inject } from 'vitest';
import { openDeploy } from '../../harness/deploy.ts';
import type { ProjectFiles } from '../../harness/project-files.ts';

/** Deploys `files` to the platform that the files of the lane share, and waits until they serve. */
export async function deployService(name: string, files: ProjectFiles): Promise<void> {
  const { url, key } = inject('platform');
  const api = (route: string, init: RequestInit = {}) =>
    fetch(url + route, { ...init, headers: { ...(init.headers as Record<string, string>), 'X-API-Key': key } });
  const { last } = await (await openDeploy({ api }, name, { files })).finish();
  if (last.status !== 'DONE') throw new Error(`${name} was not deployed: ${JSON.stringify(last)}`);
}
