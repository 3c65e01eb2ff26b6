import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerToken } from './server-token.ts';

/** The process that ends what a killed server leaves. */
export interface Guardian {
  /** Lets it go; it ends what is still recorded, and itself. Idempotent. */
  close(): Promise<void>;
}

export interface GuardianOptions {
  readonly nodePath: string;
  /** See {@link RunningRecords}. */
  readonly recordFolder: string;
  /** See {@link IdentityStore}; need not exist. */
  readonly identityFile: string;
  readonly token: ServerToken;
}

/** All that runs while it waits: its own code would take sixty megabytes more. The first argument is that code. */
const WAIT = "process.stdin.resume().once('close', () => import(process.argv[1]))";

/**
 * Starts the guardian. Without a sandbox it is what ends the children of programs; with one, it closes a gap: bubblewrap
 * ties what it builds to its parent's life only in its last step. It has its own session, so that what kills the server's
 * group or terminal does not kill it too.
 */
export async function startGuardian(options: GuardianOptions): Promise<Guardian> {
  const { nodePath, recordFolder, identityFile, token } = options;
  const main = new URL(`./guardian-main${import.meta.url.slice(-3)}`, import.meta.url).href;
  const child = spawn(
    nodePath,
    ['--max-old-space-size=32', '-e', WAIT, main, recordFolder, identityFile, token.value, token.file],
    {
      cwd: '/',
      env: {},
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  const exit = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  await once(child, 'spawn');
  child.unref();
  // It may die before the server: then there is nobody to tell anything.
  child.stdin.on('error', () => {});
  return {
    async close() {
      child.ref();
      child.stdin.end();
      await exit;
    },
  };
}
