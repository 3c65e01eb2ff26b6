import { z } from 'zod';
import type { CommitStatus, ForgeApi, ForgeHooks } from './forge.ts';
import { type CallForge, ForgeError } from './forge-client.ts';
import {
  branchOf,
  commitSchema,
  filesOf,
  isSame,
  isSameKey,
  isZero,
  numberSchema,
  shaSchema,
  titleSchema,
} from './read-payload.ts';

const pushSchema = z.object({
  ref: z.string(),
  before: shaSchema,
  after: shaSchema,
  total_commits_count: z.int(),
  /** The newest 20. */
  commits: z.array(commitSchema.extend({ id: z.string(), message: titleSchema })),
});

const mergeRequestSchema = z.object({
  object_attributes: z.object({
    iid: numberSchema,
    title: titleSchema,
    action: z.string(),
    /** Only in an update with new commits. */
    oldrev: z.string().nullish(),
    target_branch: z.string(),
    source_project_id: z.int(),
    target_project_id: z.int(),
    last_commit: z.object({ id: shaSchema }),
  }),
});

/** The webhooks of GitLab, whose requests carry the secret itself. Source: docs.gitlab.com, "Webhook events". */
export const gitlabHooks: ForgeHooks = {
  isSigned: (header, _body, secret) => isSame(header('x-gitlab-token') ?? '', secret),
  readEvent(header, body) {
    const name = header('x-gitlab-event');
    if (name === 'Push Hook') {
      const { data: push } = pushSchema.safeParse(body);
      const branch = push && branchOf(push.ref);
      if (!push || branch === undefined || isZero(push.after)) return undefined;
      const { commits, after: sha } = push;
      const isComplete = !isZero(push.before) && commits.length > 0 && commits.length >= push.total_commits_count;
      const title = commits.find(({ id }) => id === sha)?.message ?? '';
      return { kind: 'push', branch, sha, title, files: isComplete ? filesOf(commits) : undefined };
    }
    if (name !== 'Merge Request Hook') return undefined;
    const request = mergeRequestSchema.safeParse(body).data?.object_attributes;
    if (!request) return undefined;
    const { iid: number, action, title, target_branch: base, last_commit } = request;
    if (action === 'close' || action === 'merge') return { kind: 'close', number };
    const isOpened = action === 'open' || action === 'reopen' || (action === 'update' && Boolean(request.oldrev));
    if (!isOpened) return undefined;
    const isFork = request.source_project_id !== request.target_project_id;
    return { kind: 'open', number, sha: last_commit.id, title, base, isFork };
  },
};

/** The most entries that GitLab returns at once. */
const PAGE_SIZE = 100;

const idSchema = z.object({ id: z.int() });
const STATES: Readonly<Record<CommitStatus['state'], string>> = {
  pending: 'running',
  success: 'success',
  failure: 'failed',
};

/** Returns the API of a project on GitLab. Source: docs.gitlab.com, "REST API", version 4. */
export function createGitLabApi(call: CallForge, path: string): ForgeApi {
  const project = `/projects/${encodeURIComponent(path)}`;
  const notes = (number: number) => `${project}/merge_requests/${number}/notes`;
  return {
    check: async () => void (await call('GET', project)),
    async createHook({ url, secret: token, withPullRequests: merge_requests_events }) {
      await call('POST', `${project}/hooks`, { url, token, push_events: true, merge_requests_events });
    },
    async removeHooks(url) {
      const hooks = z.array(idSchema.extend({ url: z.string() }));
      for (const hook of hooks.parse(await call('GET', `${project}/hooks?per_page=100`))) {
        if (hook.url === url) await call('DELETE', `${project}/hooks/${hook.id}`);
      }
    },
    async addDeployKey({ title, key }) {
      await call('POST', `${project}/deploy_keys`, { title, key, can_push: false });
    },
    async removeDeployKeys(key) {
      const keys = z.array(idSchema.extend({ key: z.string() }));
      for (const found of keys.parse(await call('GET', `${project}/deploy_keys?per_page=100`))) {
        if (isSameKey(found.key, key)) await call('DELETE', `${project}/deploy_keys/${found.id}`);
      }
    },
    async setStatus({ sha, state, context: name, description, link: target_url }) {
      const body = { state: STATES[state], name, description, target_url };
      await call('POST', `${project}/statuses/${sha}`, body).catch((error: unknown) => {
        // GitLab refuses a state that the commit has already, which happens after a repetition.
        if (!(error instanceof ForgeError) || error.status !== 400) throw error;
      });
    },
    async listFiles(number) {
      const schema = z.array(z.object({ old_path: z.string(), new_path: z.string() }));
      const files = schema.parse(await call('GET', `${project}/merge_requests/${number}/diffs?per_page=${PAGE_SIZE}`));
      return files.length >= PAGE_SIZE ? undefined : files.flatMap(({ old_path, new_path }) => [old_path, new_path]);
    },
    async findComment(number, marker) {
      const schema = z.array(idSchema.extend({ body: z.string() }));
      const found = schema
        .parse(await call('GET', `${notes(number)}?per_page=100&sort=asc`))
        .find(({ body }) => body.includes(marker));
      return found && String(found.id);
    },
    createComment: async (number, body) => String(idSchema.parse(await call('POST', notes(number), { body })).id),
    async updateComment(number, id, body) {
      await call('PUT', `${notes(number)}/${encodeURIComponent(id)}`, { body });
    },
  };
}
