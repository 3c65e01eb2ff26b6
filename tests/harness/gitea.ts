import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import type { ProjectFiles } from './project-files.ts';
import { waitFor } from './wait-for.ts';

const run = promisify(execFile);
const GO = process.env['GOPATH'] ?? path.join(homedir(), 'go');
/** The module, which has the texts and templates that the program reads. `.ci/run` builds it. */
const MODULE = path.join(GO, 'pkg/mod/code.gitea.io/gitea@v1.26.0');
const PROGRAM = path.join(GO, 'bin/gitea');

/** Why Gitea can't be started; undefined when it can. */
export const giteaProblem = (): string | undefined =>
  existsSync(PROGRAM) && existsSync(MODULE) ? undefined : 'needs Gitea: see the lines about it in .ci/run';

/** A Gitea with one person, who may do everything. */
export interface Gitea extends AsyncDisposable {
  readonly url: string;
  /** Of its SSH server. */
  readonly sshUrl: string;
  readonly user: string;
  /** An access token of the person. */
  readonly token: string;
  /** Calls the API. @throws Error with the response when it is refused */
  api<Answer>(method: string, route: string, body?: object): Promise<Answer>;
  /** Runs Git in `folder`, as the person. */
  git(folder: string, ...words: readonly string[]): Promise<string>;
  /** Makes a repository with the files on `main`, and returns its URL and a clone of it. */
  createRepository(name: string, files: ProjectFiles): Promise<{ readonly url: string; readonly clone: string }>;
  /** Writes files, commits them and pushes the branch. Returns the hash of the commit. */
  push(clone: string, branch: string, files: ProjectFiles, message: string): Promise<string>;
}

/** Starts a Gitea on a port of its own, with a database of its own. */
export async function startGitea(): Promise<Gitea> {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-gitea-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const sshPort = await freePort();
  const user = 'ada';
  const config = path.join(folder, 'app.ini');
  writeFileSync(config, settings({ folder, port, url, sshPort }));
  const words = ['--config', config, '--work-path', folder];
  const env = {
    ...process.env,
    ...{ HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' },
    ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.com' },
    ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.com' },
  };
  await run(PROGRAM, [...words, 'migrate'], { env });
  const person = ['--username', user, '--email', 'ada@example.com', '--password', 'a long password of Ada'];
  const access = ['--access-token', '--access-token-name', 'tests', '--access-token-scopes', 'all'];
  const create = [...words, 'admin', 'user', 'create', ...person, '--admin', '--must-change-password=false', ...access];
  const token = /\b[0-9a-f]{40}\b/.exec((await run(PROGRAM, create, { env })).stdout)?.[0] ?? '';
  const child = spawn(PROGRAM, [...words, 'web'], { env, stdio: 'ignore' });
  await waitFor('Gitea answers', () =>
    fetch(`${url}/api/v1/version`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );

  const git: Gitea['git'] = async (place, ...rest) => (await run('git', rest, { cwd: place, env })).stdout.trim();
  const api = async <Answer>(method: string, route: string, body?: object): Promise<Answer> => {
    const headers = { Authorization: `token ${token}`, 'Content-Type': 'application/json' };
    const response = await fetch(`${url}/api/v1${route}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  };
  const push: Gitea['push'] = async (clone, branch, files, message) => {
    await git(clone, 'switch', '-q', '-C', branch);
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(clone, name)), { recursive: true });
      writeFileSync(path.join(clone, name), content);
    }
    await git(clone, 'add', '-A');
    await git(clone, 'commit', '-q', '-m', message);
    await git(clone, 'push', '-q', 'origin', branch);
    return git(clone, 'rev-parse', 'HEAD');
  };
  return {
    ...{ url, user, token, api, git, push, sshUrl: `ssh://git@127.0.0.1:${sshPort}` },
    async createRepository(name, files) {
      await api('POST', '/user/repos', { name, private: true, default_branch: 'main' });
      const clone = path.join(folder, `clone-of-${name}`);
      mkdirSync(clone);
      await git(clone, 'init', '-q');
      await git(clone, 'remote', 'add', 'origin', `http://${user}:${token}@127.0.0.1:${port}/${user}/${name}.git`);
      await push(clone, 'main', files, 'First commit');
      return { url: `${url}/${user}/${name}`, clone };
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface GiteaSettings {
  readonly folder: string;
  readonly port: number;
  readonly url: string;
  readonly sshPort: number;
}

function settings({ folder, port, url, sshPort }: GiteaSettings): string {
  return `RUN_MODE = prod
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
WORK_PATH = ${folder}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = ${url}/
STATIC_ROOT_PATH = ${MODULE}
START_SSH_SERVER = true
BUILTIN_SSH_SERVER_USER = git
SSH_LISTEN_HOST = 127.0.0.1
SSH_LISTEN_PORT = ${sshPort}
SSH_PORT = ${sshPort}
SSH_ROOT_PATH = ${folder}/ssh
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = ${folder}/gitea.db
[repository]
ROOT = ${folder}/repositories
[security]
INSTALL_LOCK = true
SECRET_KEY = ${'k'.repeat(32)}
[webhook]
ALLOWED_HOST_LIST = loopback
[indexer]
ISSUE_INDEXER_TYPE = db
[log]
LEVEL = error
`;
}
