import { z } from 'zod';
import type { ForgeApi, ForgeEvent, ForgeHooks } from './forge.ts';
import type { CallForge } from './forge-client.ts';
import {
  branchOf,
  commitSchema,
  filesOf,
  isHmac,
  isSameKey,
  isZero,
  numberSchema,
  shaSchema,
  titleSchema,
} from './read-payload.ts';

/** Commits in a request at most. Source: docs.github.com, "Webhook events and payloads", push. */
const MAX_COMMITS = 2_048;

const pushSchema = z.object({
  ref: z.string(),
  before: shaSchema,
  after: shaSchema,
  forced: z.boolean().nullish(),
  /** Only Gitea sends it: `commits` has the newest of them. */
  total_commits: z.int().nullish(),
  commits: z.array(commitSchema).nullish(),
  head_commit: z.object({ message: titleSchema }).nullish(),
});

const pullRequestSchema = z.object({
  action: z.string(),
  number: numberSchema,
  pull_request: z.object({
    title: titleSchema,
    base: z.object({ ref: z.string(), repo: z.object({ id: z.number() }).nullish() }),
    head: z.object({ sha: shaSchema, repo: z.object({ id: z.number() }).nullish() }),
  }),
});

/** Actions after which a preview is deployed; `synchronized` is Gitea's. */
const OPENING = ['opened', 'reopened', 'synchronize', 'synchronized'];

/** Reads the requests of webhooks that GitHub and Gitea send in the same shape. */
export function readGitHubEvent(name: string | undefined, body: unknown): ForgeEvent | undefined {
  if (name === 'push') {
    const { data: push } = pushSchema.safeParse(body);
    const branch = push && branchOf(push.ref);
    if (!push || branch === undefined || isZero(push.after)) return undefined;
    const commits = push.commits ?? [];
    const isComplete =
      !push.forced &&
      !isZero(push.before) &&
      commits.length > 0 &&
      commits.length < MAX_COMMITS &&
      commits.length >= (push.total_commits ?? 0);
    const title = push.head_commit?.message ?? '';
    return { kind: 'push', branch, sha: push.after, title, files: isComplete ? filesOf(commits) : undefined };
  }
  if (name !== 'pull_request') return undefined;
  const { data } = pullRequestSchema.safeParse(body);
  if (!data) return undefined;
  const { action, number, pull_request: request } = data;
  if (action === 'closed') return { kind: 'close', number };
  if (!OPENING.includes(action)) return undefined;
  const { base, head, title } = request;
  // The repository of the code is null once it was deleted.
  const isFork = !head.repo || !base.repo || head.repo.id !== base.repo.id;
  return { kind: 'open', number, sha: head.sha, title, base: base.ref, isFork };
}

/** Source: docs.github.com, "Validating webhook deliveries". */
export const githubHooks: ForgeHooks = {
  isSigned: (header, body, secret) => isHmac(header('x-hub-signature-256')?.replace(/^sha256=/, ''), body, secret),
  readEvent: (header, body) => readGitHubEvent(header('x-github-event'), body),
};

const idSchema = z.object({ id: z.int() });
const commentsSchema = z.array(idSchema.extend({ body: z.string().nullish() }));
const filesSchema = z.array(z.object({ filename: z.string(), previous_filename: z.string().nullish() }));
const keysSchema = z.array(idSchema.extend({ key: z.string() }));
const hooksSchema = z.array(idSchema.extend({ config: z.object({ url: z.string().nullish() }) }));

/** The parts of the API in which GitHub and Gitea differ. */
interface Dialect {
  /** Query that asks for as many entries as there may be. */
  readonly page: string;
  readonly pageSize: number;
  /** The kind of the webhook. */
  readonly hook: Readonly<Record<string, unknown>>;
  readonly pullRequestEvents: readonly string[];
}

/** Returns the API of a repository on GitHub, or on a forge with the same routes. */
export function createGitHubApi(call: CallForge, path: string, dialect: Dialect = GITHUB): ForgeApi {
  const repository = `/repos/${path.split('/').map(encodeURIComponent).join('/')}`;
  return {
    check: async () => void (await call('GET', repository)),
    async createHook({ url, secret, withPullRequests }) {
      const events = ['push', ...(withPullRequests ? dialect.pullRequestEvents : [])];
      const config = { url, content_type: 'json', secret };
      await call('POST', `${repository}/hooks`, { ...dialect.hook, active: true, events, config });
    },
    async removeHooks(url) {
      const hooks = hooksSchema.parse(await call('GET', `${repository}/hooks?${dialect.page}`));
      for (const { id, config } of hooks) {
        if (config.url === url) await call('DELETE', `${repository}/hooks/${id}`);
      }
    },
    async addDeployKey({ title, key }) {
      await call('POST', `${repository}/keys`, { title, key, read_only: true });
    },
    async removeDeployKeys(key) {
      for (const found of keysSchema.parse(await call('GET', `${repository}/keys?${dialect.page}`))) {
        if (isSameKey(found.key, key)) await call('DELETE', `${repository}/keys/${found.id}`);
      }
    },
    async setStatus({ sha, link: target_url, ...status }) {
      await call('POST', `${repository}/statuses/${sha}`, { ...status, target_url });
    },
    async listFiles(number) {
      const files = filesSchema.parse(await call('GET', `${repository}/pulls/${number}/files?${dialect.page}`));
      if (files.length >= dialect.pageSize) return undefined;
      return files.flatMap(({ filename, previous_filename }) => [
        filename,
        ...(previous_filename ? [previous_filename] : []),
      ]);
    },
    async findComment(number, marker) {
      const comments = commentsSchema.parse(
        await call('GET', `${repository}/issues/${number}/comments?${dialect.page}`),
      );
      const found = comments.find(({ body }) => body?.includes(marker));
      return found && String(found.id);
    },
    createComment: async (number, body) =>
      String(idSchema.parse(await call('POST', `${repository}/issues/${number}/comments`, { body })).id),
    async updateComment(_number, id, body) {
      await call('PATCH', `${repository}/issues/comments/${encodeURIComponent(id)}`, { body });
    },
  };
}

const GITHUB: Dialect = {
  page: 'per_page=100',
  pageSize: 100,
  hook: { name: 'web' },
  pullRequestEvents: ['pull_request'],
};
/** Source: the OpenAPI document of Gitea 1.26, which Forgejo shares. */
export const GITEA: Dialect = {
  page: 'limit=50',
  pageSize: 50,
  hook: { type: 'gitea' },
  pullRequestEvents: ['pull_request', 'pull_request_sync'],
};
