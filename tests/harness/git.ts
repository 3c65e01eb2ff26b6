import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Berth } from './berth.ts';
import type { ProjectFiles } from './project-files.ts';

/** The end of a command of Git. */
export interface GitResult {
  readonly code: number;
  /** Both streams, in no fixed order. */
  readonly output: string;
}

/** A developer's clone, without any configuration of the machine. */
export interface Clone extends AsyncDisposable {
  readonly folder: string;
  /** Runs Git and returns how it ended. */
  git(...words: string[]): Promise<GitResult>;
  /** Writes files and commits everything. Returns the commit's id. */
  commit(files: ProjectFiles, message?: string): Promise<string>;
}

/** The environment of a person without any configuration of Git. */
export const GIT_ENVIRONMENT = {
  ...process.env,
  ...{ GIT_AUTHOR_NAME: 'Ann', GIT_AUTHOR_EMAIL: 'ann@example.com' },
  ...{ GIT_COMMITTER_NAME: 'Ann', GIT_COMMITTER_EMAIL: 'ann@example.com' },
  ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' },
};

/** Runs Git in a folder as a person does who has no configuration. */
export function runGit(folder: string, words: readonly string[]): Promise<GitResult> {
  return new Promise((resolve) => {
    execFile('git', words, { cwd: folder, env: GIT_ENVIRONMENT, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: `${stdout}${stderr}` }),
    );
  });
}

/** Returns the URL of a deployment's repository, with a key. */
export function remoteOf(berth: Berth, name: string, key = berth.key): string {
  return `${berth.url.replace('://', `://x:${key}@`)}/git/${name}.git`;
}

/** Creates an empty repository with the branch `main`. */
export async function createClone(): Promise<Clone> {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-clone-'));
  const git = (...words: string[]) => runGit(folder, words);
  await git('init', '-q', '-b', 'main');
  return {
    folder,
    git,
    async commit(files, message = 'Change') {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
        writeFileSync(path.join(folder, name), content);
      }
      await git('add', '-A');
      const { code, output } = await git('commit', '-qm', message);
      if (code !== 0) throw new Error(output);
      return (await git('rev-parse', 'HEAD')).output.trim();
    },
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An empty folder that goes with the test. */
export function scratch(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-clone-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A clone whose remote `berth` is a new name's repository. */
export async function linked(berth: Berth, name: string): Promise<Clone> {
  const clone = await createClone();
  onTestFinished(() => clone[Symbol.asyncDispose]());
  await clone.git('remote', 'add', 'berth', remoteOf(berth, name));
  return clone;
}

/** The commit that the server has for a branch, as Git sees it. */
export async function remoteCommit(clone: Clone, branch = 'main'): Promise<string | undefined> {
  const { output } = await clone.git('ls-remote', 'berth', `refs/heads/${branch}`);
  return /^([0-9a-f]{40})\t/m.exec(output)?.[1];
}
