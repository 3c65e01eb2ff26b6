import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readlinkSync, writeFileSync } from 'node:fs';
import type { Clock } from '@berth/kit';
import { findExecutable } from '@berth/runtime/drivers';

/**
 * The user namespace of all sandboxes of a server that is root. Bubblewrap enters it, builds the sandbox and becomes the tenant's user
 * itself, so that the first program executed inside is the tenant's own, without any privilege.
 *
 * Invariants:
 * 1. No process in it has a capability once its sandbox is built (`--cap-drop ALL`), so no process can use the id map to become another user.
 * 2. No further user namespace can be made inside it, unless the operator allows nested sandboxes.
 */
export interface UserNamespace {
  /** Passed to bubblewrap with `--userns`. Open until {@link close}. */
  readonly descriptor: number;
  /** Closes the descriptor. Idempotent. */
  close(): void;
}

/**
 * Maps every id of the host to itself, so that bubblewrap can enter folders that only their owners may enter. Only root gets another
 * id, because a process with user id 0 inside would lose its capabilities when bubblewrap changes its user.
 */
const ID_MAP = '1 1 4294967293\n4294967294 0 1\n';
const MAX_USER_NAMESPACES = '/proc/sys/user/max_user_namespaces';
const POLL_MS = 1;
const GIVE_UP_MS = 5_000;

/**
 * Makes the user namespace. Requires root.
 * @param folders Where to look for `unshare` and `tee`.
 * @param isLast Forbids further user namespaces inside.
 * @throws Error with the reason, for people.
 */
export async function openUserNamespace(
  folders: readonly string[],
  isLast: boolean,
  clock: Clock,
): Promise<UserNamespace> {
  const unshare = findExecutable('unshare', folders);
  const tee = findExecutable('tee', folders);
  if (unshare === undefined || tee === undefined) throw new Error('unshare (util-linux) is missing');
  // `tee` waits for its input until the namespace has its id map, and then writes the input to the setting.
  const helper = spawn(unshare, ['--user', '--keep-caps', tee, MAX_USER_NAMESPACES], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    cwd: '/',
  });
  const ended = once(helper, 'exit');
  helper.stdin.on('error', () => {});
  try {
    const path = `/proc/${helper.pid}/ns/user`;
    const outside = readlinkSync('/proc/self/ns/user');
    const deadline = clock.monotonicMs() + GIVE_UP_MS;
    while (readlinkSync(path) === outside) {
      if (clock.monotonicMs() > deadline) throw new Error('unshare did not answer');
      await clock.sleep(POLL_MS);
    }
    for (const name of ['uid_map', 'gid_map']) writeFileSync(`/proc/${helper.pid}/${name}`, ID_MAP);
    let descriptor: number | undefined = openSync(path, 'r');
    helper.stdin.end(isLast ? '0\n' : '');
    await ended;
    return {
      descriptor,
      close() {
        if (descriptor !== undefined) closeSync(descriptor);
        descriptor = undefined;
      },
    };
  } catch (cause) {
    helper.kill('SIGKILL');
    throw new Error("this machine doesn't allow user namespaces", { cause });
  }
}
