import { existsSync, linkSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Facts, gotThrough, type InsideAttempt } from './attempt.ts';
import { attempt, codeOf, findSecrets, perl, readSecrets, readStart, run } from './tools.ts';

/** Files of the host by their paths: name in {@link Facts.files}, what it is. */
const HOST_FILES: readonly (readonly [name: string, title: string])[] = [
  ['data-folder', 'a file in the data folder'],
  ['runtime-state', "a file in the runtime's state folder"],
  ['service-log', "another account's stored log"],
  ['victim-source', "another account's built revision"],
  ['victim-volume', "another account's volume"],
  ['victim-temporary', "a temporary file of another account's instance"],
  ['root-home', "a file in root's home"],
  ['ssh-key', "an SSH key in a user's home"],
  ['etc', 'a file in /etc that only its owner may read'],
  ['etc-open', 'a file in /etc that everybody may read'],
  ['run-open', 'a file in /run that everybody may read'],
  ['tmp-open', "a file in the host's /tmp that everybody may read"],
  ['srv-open', 'a file in /srv that everybody may read'],
  ['var-open', 'a file in /var/lib that everybody may read'],
];

/** Folders of the host that nothing may be written to: name in {@link Facts.marks}, what it is. */
const HOST_FOLDERS: readonly (readonly [name: string, title: string])[] = [
  ['usr-bin', '/usr/bin'],
  ['cron', '/etc/cron.d'],
  ['root-home', "root's home"],
  ['data-folder', 'the data folder'],
  ['node-folder', 'the folder of the Node that services run on'],
  ['toolchain', 'the toolchain folder, which all accounts share'],
  ['victim-artifact', "another account's built revision"],
  ['victim-volume', "another account's volume"],
];

export const FILE_ATTEMPTS: readonly InsideAttempt[] = [
  {
    id: 'files.master-key',
    tries: 'reads the key that seals all environments',
    act: async ({ files }) => attempt(() => readStart(files['master-key'] as string).toString('hex')),
  },
  {
    id: 'files.database',
    tries: "reads the platform's database and its write-ahead log",
    act: async (facts) => ['', '-wal'].map((end) => readSecrets(`${facts.files['database']}${end}`, facts)),
  },
  ...HOST_FILES.map(
    ([name, title]): InsideAttempt => ({
      id: `files.${name}`,
      tries: `reads ${title} by its path`,
      act: async (facts) => readSecrets(facts.files[name] as string, facts),
    }),
  ),
  ...HOST_FOLDERS.map(
    ([name, title]): InsideAttempt => ({
      id: `files.write-${name}`,
      tries: `writes to ${title}`,
      act: async ({ marks }) => attempt(() => writeFileSync(marks[name] as string, 'planted')),
      leaves: { mark: name, text: 'planted' },
    }),
  ),
  {
    id: 'files.list-data-folder',
    tries: 'lists the data folder',
    act: async (facts) =>
      attempt(() => findSecrets(readdirSync(dirname(facts.files['data-folder'] as string)).join('\n'), facts)),
  },
  {
    id: 'files.through-symlink',
    tries: 'reads the data folder through a symlink of its own',
    act: (facts) => throughLink(facts, symlinkSync),
  },
  {
    id: 'files.through-hard-link',
    tries: "reads another account's volume through a hard link of its own",
    act: (facts) => throughLink(facts, linkSync, 'victim-volume'),
  },
  {
    id: 'files.through-own-root',
    tries: 'climbs out of /proc/self/root',
    act: async (facts) =>
      ['/proc/self/root', '/proc/1/root', '/proc/1/cwd', '/proc/self/cwd/../../../../../../..'].map((way) =>
        readSecrets(`${way}${facts.files['data-folder']}`, facts),
      ),
  },
  {
    id: 'files.inherited-descriptors',
    tries: 'reads through descriptors that it was started with',
    act: async (facts) =>
      readdirSync('/proc/self/fd').map((fd) => {
        const target = attemptSync(() => readlinkSync(`/proc/self/fd/${fd}`));
        if (!target.startsWith('/') || target.startsWith('/dev/')) return target.replace(/\d+/, '');
        return readSecrets(`/proc/self/fd/${fd}/../${target.split('/').at(-1)}`, facts);
      }),
    control: async () => {
      const inherited = await run('perl', ['-e', 'open my $f, "<", "/etc/hosts"; exec "readlink", "/proc/self/fd/0"']);
      return inherited.includes('/') ? gotThrough('descriptors of a child are seen') : inherited;
    },
  },
  {
    id: 'files.by-handle',
    tries: 'opens the root of the disk by a guessed file handle',
    act: async () => perl(OPEN_BY_HANDLE),
  },
  {
    id: 'files.set-user-id',
    tries: 'runs a program of the host that belongs to root and is set-user-id',
    act: async ({ files }) => {
      const program = files['set-user-id'] as string;
      if (!existsSync(program)) return 'not there';
      const who = await run(program);
      return /\b(?:euid|uid)=0\b/.test(who) ? gotThrough(who) : who;
    },
  },
  {
    id: 'files.disk-devices',
    tries: 'opens the disks of the host',
    act: async () => readDisks().map(({ name }) => readDevice(`/dev/${name}`)),
    // Even root may be kept from disks, by control groups.
    control: { host: async () => (readDisks().length > 0 ? readDevice('/dev/zero') : 'no disk was found') },
  },
  {
    id: 'files.make-disk-device',
    tries: 'makes a device file for a disk of the host and opens it',
    act: async () => Promise.all(readDisks().map(({ numbers }) => makeDevice('060600', numbers))),
    control: { host: async () => makeDevice('020600', [1, 5]) },
  },
  {
    id: 'files.kernel-memory',
    tries: 'opens the memory, the ports and the log of the kernel',
    act: async () =>
      ['/dev/mem', '/dev/port', '/dev/kmsg', '/proc/kcore', '/proc/kmsg'].map((path) => {
        const bytes = attemptSync(() => String(readStart(path).length));
        return Number(bytes) > 0 ? gotThrough(`${path}: ${bytes} bytes`) : bytes;
      }),
  },
];

async function throughLink(
  facts: Facts,
  link: (target: string, path: string) => void,
  name = 'data-folder',
): Promise<unknown> {
  const path = `./link-${crypto.randomUUID()}`;
  return attempt(() => {
    link(facts.files[name] as string, path);
    return readSecrets(path, facts);
  });
}

function attemptSync(act: () => string): string {
  try {
    return act();
  } catch (error) {
    return codeOf(error);
  }
}

interface Disk {
  readonly name: string;
  readonly numbers: readonly [major: number, minor: number];
}

function readDisks(): Disk[] {
  const lines = attemptSync(() => readStart('/proc/partitions').toString()).matchAll(/(\d+)\s+(\d+)\s+\d+\s+(\w+)$/gm);
  return [...lines].map(([, major, minor, name]) => ({
    name: name as string,
    numbers: [Number(major), Number(minor)],
  }));
}

function readDevice(path: string): string {
  return attemptSync(() => gotThrough(`${path}: ${readStart(path).length} bytes`));
}

/** @param mode with the type of the device, in octal. */
function makeDevice(mode: string, [major, minor]: Disk['numbers']): Promise<string> {
  return perl(
    `my ($mode, $major, $minor) = @ARGV; my $path = "./device-$$"; $mode = oct $mode;
    if (syscall($call{mknod}, $path, $mode, $major * 256 + $minor) != 0) { failed(); exit }
    my ($device, $bytes); (open $device, '<', $path and read $device, $bytes, 512) ? ok('opened') : failed(); unlink $path`,
    [mode, major, minor],
  );
}

/** Inode 2 is the root of an ext file system, 128 that of XFS; every other call fails with EPERM before it looks. */
const OPEN_BY_HANDLE = `
  opendir my $here, '.' or die; open my $at, '<', '.' or die;
  for my $inode (2, 64, 128, 256) {
    my $handle = pack 'IiII', 8, 1, $inode, 0; my $flags = 0x10000;
    my $fd = syscall($call{open_by_handle_at}, fileno($at), $handle, $flags);
    if ($fd >= 0) { ok("inode $inode: " . readlink "/proc/self/fd/$fd") } else { failed() }
    ok('the handle was looked at') if $fd < 0 && $!{ESTALE} }`;
