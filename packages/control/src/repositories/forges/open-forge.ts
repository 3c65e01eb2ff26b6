import { createValidationError, type ForgeKind } from '@berth/contract';
import type { WebhookAccess } from '../../outbound/webhook-access.ts';
import type { ForgeApi, ForgeHooks, RepositoryLocation } from './forge.ts';
import { createForgeClient } from './forge-client.ts';
import { giteaHooks } from './gitea.ts';
import { createGitHubApi, GITEA, githubHooks } from './github.ts';
import { createGitLabApi, gitlabHooks } from './gitlab.ts';

/** Forges whose kind is known by their host. */
const KNOWN_HOSTS: Readonly<Record<string, ForgeKind>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'codeberg.org': 'forgejo',
};

const HOOKS: Readonly<Record<ForgeKind, ForgeHooks>> = {
  github: githubHooks,
  gitlab: gitlabHooks,
  gitea: giteaHooks,
  forgejo: giteaHooks,
};

/** Returns how requests of the forge's webhooks are read. */
export const hooksOf = (forge: ForgeKind): ForgeHooks => HOOKS[forge];

/**
 * Returns where a repository and its API are. Gitea and Forgejo may be below a path of their host.
 * @throws `invalid` for a URL that can't be one of a repository, or when the kind of the forge must be named.
 */
export function locateRepository(text: string, named: ForgeKind | undefined): RepositoryLocation {
  const url = new URL(text);
  const fault = (field: string, msg: string) =>
    createValidationError([{ loc: ['body', field], msg, type: `${field}_invalid` }]);
  if (url.search !== '' || url.hash !== '') throw fault('url', 'must have no query and no fragment');
  const segments = url.pathname
    .replace(/\/$/, '')
    .replace(/\.git$/, '')
    .split('/')
    .slice(1);
  if (segments.length < 2 || segments.some((part) => !/^[\w.~+-]+$/.test(part) || /^\.+$/.test(part))) {
    throw fault('url', 'must be the URL of a repository, such as https://github.com/me/app');
  }
  const forge = named ?? KNOWN_HOSTS[url.host];
  if (!forge) throw fault('forge', 'is required for this host: github, gitlab, gitea or forgejo');
  const isNested = forge === 'gitlab';
  const path = (isNested ? segments : segments.slice(-2)).join('/');
  const prefix = isNested
    ? ''
    : segments
        .slice(0, -2)
        .map((part) => `/${part}`)
        .join('');
  const location = { forge, path, url: `${url.origin}${prefix}/${path}.git` };
  if (forge === 'gitlab') return { ...location, apiUrl: `${url.origin}/api/v4` };
  if (forge !== 'github') return { ...location, apiUrl: `${url.origin}${prefix}/api/v1` };
  if (prefix !== '') throw fault('url', 'must be the URL of a repository, such as https://github.com/me/app');
  return { ...location, apiUrl: url.host === 'github.com' ? 'https://api.github.com' : `${url.origin}/api/v3` };
}

/** Returns the API of a repository. */
export function openForgeApi(
  { forge, apiUrl, path }: RepositoryLocation,
  token: string,
  access: Pick<WebhookAccess, 'resolve' | 'isAllowed'>,
): ForgeApi {
  const client = (headers: Readonly<Record<string, string>>) => createForgeClient({ apiUrl, access, headers });
  if (forge === 'gitlab') return createGitLabApi(client({ 'private-token': token }), path);
  if (forge === 'github') {
    const headers = { authorization: `Bearer ${token}`, 'x-github-api-version': '2022-11-28' };
    return createGitHubApi(client(headers), path);
  }
  return createGitHubApi(client({ authorization: `token ${token}` }), path, GITEA);
}

/** Returns the credentials with which Git fetches by a token. */
export function gitCredentials(
  forge: ForgeKind,
  token: string,
): { readonly username: string; readonly password: string } {
  return { username: forge === 'gitlab' ? 'oauth2' : 'x-access-token', password: token };
}
