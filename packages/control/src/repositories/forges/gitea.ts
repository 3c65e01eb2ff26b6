import type { ForgeHooks } from './forge.ts';
import { readGitHubEvent } from './github.ts';
import { isHmac } from './read-payload.ts';

/** The webhooks of Gitea and Forgejo. Source: docs.gitea.com, "Webhooks". */
export const giteaHooks: ForgeHooks = {
  isSigned: (header, body, secret) =>
    isHmac(header('x-forgejo-signature') ?? header('x-gitea-signature'), body, secret),
  readEvent: (header, body) => readGitHubEvent(header('x-forgejo-event') ?? header('x-gitea-event'), body),
};
