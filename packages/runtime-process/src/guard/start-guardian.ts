import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ServerToken } from './server-token.ts';

/**
 * Shell script that waits for the end of stdin and then executes the command in its arguments. A waiting shell takes 1.7 MB of memory, Node
 * would take 44 MB. The script is constant; everything variable is an argument.
 */
const WAIT = 'while read -r _; do :; done; exec "$@"';

/**
 * Starts the guardian, the process that ends the programs of a server after the server was killed. Without a sandbox, the guardian is what ends the children of programs. With one, it closes a gap:
 * bubblewrap ties the sandbox to its parent's life only in its last step. The guardian has a session of its own, so that a
 * signal to the server's process group or terminal does not end it too.
 */
export async function startGuardian(nodePath: string, recordFolder: string, identityFile: string, token: ServerToken) {
  const main = fileURLToPath(new URL('./guardian-main.ts', import.meta.url));
  const child = spawn(
    '/bin/sh',
    ['-c', WAIT, 'berth-guardian', nodePath, main, recordFolder, identityFile, token.value, token.file],
    { cwd: '/', env: {}, detached: true, stdio: ['pipe', 'ignore', 'ignore'] },
  );
  const exit = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  await once(child, 'spawn');
  child.unref();
  // If the guardian dies before the server, writing the end of stdin fails.
  child.stdin.on('error', () => {});
  return {
    /** Ends the programs that are still recorded, then the guardian. Idempotent. */
    async close(): Promise<void> {
      child.ref();
      child.stdin.end();
      await exit;
    },
  };
}
