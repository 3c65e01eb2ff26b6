import { createReadStream } from 'node:fs';
import type { Builder } from '@berth/builder';
import { createError, LIMITS } from '@berth/contract';
import type { Git } from '@berth/git';
import { BerthError } from '@berth/kit';
import { readFileSettings } from '../git/commit-settings.ts';
import type { ReceiveCommit } from './repository-context.ts';

/** Returns the way from a commit in a forge to the archive of a deploy, which is checked as an upload is. */
export function createReceiveCommit(git: Git, builder: Pick<Builder, 'receive'>): ReceiveCommit {
  return async ({ account, deployment, url, sha, folder, credentials, deployKey, signal }) => {
    await using repository = await git.openRepository({ account, deployment });
    await git.fetchCommit({ url, commit: sha, credentials, deployKey, into: repository, signal });
    const settings = await readFileSettings(repository, sha, folder);
    const file = await git.archiveCommit({ repository, commit: sha, folder: folder ?? undefined, signal });
    const options = { maxBytes: LIMITS.archiveBytes, signal };
    const archive = await builder.receive(createReadStream(file.path), options).catch((error: unknown) => {
      if (!BerthError.is(error, 'archive_too_large')) throw error;
      const size = `${LIMITS.archiveBytes / 2 ** 20} MiB`;
      throw createError('invalid', `The files of the commit are over ${size} as an archive. Connect a folder of it.`);
    });
    return { archive, settings };
  };
}
