import { CONTAINER_MOUNTS, judgeMountPath } from '@berth/contract';
import { expect, test } from 'vitest';
import { type Bind, type SandboxOptions, sandboxArguments } from './sandbox-arguments.ts';

const OPTIONS: SandboxOptions = {
  view: { folders: ['/usr', '/etc'], toArguments: () => ['--ro-bind', '/usr', '/usr'], state: () => '' },
  hidden: ['/data', '/usr/local/berth'],
  binds: [{ source: '/data/work/a', isReadOnly: true }],
  privateFolder: '/data/work/run/i-1',
  passwdFile: '/state/passwd-7',
  etcFiles: { hosts: '/state/hosts' },
  workingFolder: '/data/work/run/i-1/app',
  user: { kind: 'identity', identity: { uid: 7, gid: 8, accountGid: 9 }, namespaceFd: 5 },
  lateEnv: {},
  statusFd: 3,
  blockFd: 4,
  seccompFd: 5,
};

/** Each option with what follows it. */
function parse(args: readonly string[]): string[] {
  return args.join(' ').split(/ (?=--)/);
}

test('what is hidden stays hidden in a folder that is shown, and is not made where there is none', () => {
  const options = parse(sandboxArguments(OPTIONS));
  const hidden = options.indexOf('--tmpfs /usr/local/berth');
  expect(hidden).toBeGreaterThan(options.indexOf('--ro-bind /usr /usr'));
  expect(hidden).toBeLessThan(options.indexOf('--ro-bind /data/work/a /data/work/a'));
  expect(options).not.toContain('--tmpfs /data');
});

test('folders above a mount can be passed', () => {
  const options = parse(sandboxArguments(OPTIONS));
  expect(options.indexOf('--dir /data/work')).toBe(options.indexOf('--ro-bind /data/work/a /data/work/a') - 1);
});

test('a filter of system calls is given where there is one', () => {
  expect(parse(sandboxArguments(OPTIONS))).toContain('--seccomp 5');
  expect(sandboxArguments({ ...OPTIONS, seccompFd: undefined })).not.toContain('--seccomp');
});

test('it ends with its parent, has no terminal, and namespaces of its own', () => {
  const options = parse(sandboxArguments(OPTIONS));
  for (const option of ['--die-with-parent', '--new-session', '--unshare-pid', '--unshare-ipc', '--unshare-uts']) {
    expect(options).toContain(option);
  }
});

test('bubblewrap changes the user itself and keeps no capability; a plain user needs a user namespace', () => {
  const root = parse(sandboxArguments(OPTIONS));
  for (const option of ['--userns 5', '--uid 7', '--gid 8', '--cap-drop ALL']) expect(root).toContain(option);
  expect(root.join(' ')).not.toContain('--cap-add');
  const plain = parse(sandboxArguments({ ...OPTIONS, user: { kind: 'own', uid: 7, gid: 8 } }));
  for (const option of ['--unshare-user', '--uid 7', '--gid 8', '--cap-drop ALL']) expect(plain).toContain(option);
  expect(plain.join(' ')).not.toContain('--userns');
});

test('files of its own stand over the copy of /etc', () => {
  const options = parse(sandboxArguments(OPTIONS));
  const etc = options.indexOf('--ro-bind /usr /usr');
  expect(options.indexOf('--ro-bind /state/passwd-7 /etc/passwd')).toBeGreaterThan(etc);
  expect(options.indexOf('--ro-bind /state/hosts /etc/hosts')).toBeGreaterThan(etc);
});

test('variables that the linker heeds are set for the program, not for bubblewrap', () => {
  expect(parse(sandboxArguments({ ...OPTIONS, lateEnv: { LD_PRELOAD: '/evil.so' } }))).toContain(
    '--setenv LD_PRELOAD /evil.so',
  );
});

// Fails to compile when a bind takes any text for its target.
test('a folder is shown elsewhere than at its own path only at a mount path that was judged', () => {
  const verdict = judgeMountPath('/data', CONTAINER_MOUNTS);
  const judged: Bind = { source: '/volumes/a', isReadOnly: true, ...verdict };
  expect(parse(sandboxArguments({ ...OPTIONS, binds: [judged] }))).toContain('--ro-bind /volumes/a /data');
  // @ts-expect-error a path that no one judged
  const unjudged: Bind = { source: '/volumes/a', target: '/usr/bin', isReadOnly: true };
  expect(unjudged).not.toEqual(judged);
});
