import { closeSync, existsSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { gotThrough, type InsideAttempt } from './attempt.ts';
import { codeOf, findSecrets, perl, readStart, run } from './tools.ts';

const SERVICE_ONLY = ['service'] as const;

/** Files that change what the kernel does for everyone; to have one open for writing is enough. */
const KERNEL_FILES = [
  '/proc/sys/kernel/core_pattern',
  '/proc/sys/fs/suid_dumpable',
  '/proc/sys/vm/overcommit_memory',
  '/proc/sys/kernel/printk',
  '/sys/kernel/mm/transparent_hugepage/enabled',
] as const;

export const KERNEL_ATTEMPTS: readonly InsideAttempt[] = [
  ...KERNEL_FILES.map(
    (path): InsideAttempt => ({
      id: `kernel.write-${path.split('/').slice(-2).join('-').replaceAll('_', '-')}`,
      tries: `opens ${path} for writing`,
      act: async () => openForWriting(path),
    }),
  ),
  {
    id: 'kernel.write-settings-as-own-root',
    tries: 'opens core_pattern for writing as root of a user namespace of its own',
    act: async () =>
      run('unshare', ['-Urmpf', '--mount-proc', 'sh', '-c', `: >> /proc/sys/kernel/core_pattern && ${SAY} opened`]),
  },
  {
    id: 'kernel.mount',
    tries: 'mounts a file system',
    act: async () => succeeds(await run('mount', ['-t', 'tmpfs', 'none', '/tmp'])),
    control: 'namespaced',
  },
  {
    id: 'kernel.remount-system',
    tries: 'makes the system writable as root of a user namespace of its own',
    act: async ({ marks }) =>
      run('unshare', [
        ...['-Urm', 'sh', '-c'],
        `mount --bind /usr /usr; mount -o remount,rw,bind /usr; echo planted > ${marks['usr-lib']}`,
      ]),
    leaves: { mark: 'usr-lib', text: 'planted' },
  },
  {
    id: 'kernel.uncover',
    tries: 'takes away the mounts that cover the files of the host',
    act: async (facts) => {
      const paths = Object.values(facts.files).join(' ');
      const script = `for m in $(cut -d' ' -f2 /proc/self/mounts | sort -r); do umount -l $m; done 2>/dev/null; cat ${paths}`;
      return findSecrets(await run('unshare', ['-Urm', 'sh', '-c', script]), facts);
    },
  },
  {
    id: 'kernel.leave-root',
    tries: 'leaves its root folder with chroot as root of a user namespace of its own',
    act: async (facts) => {
      const script = `mkdir "x$$"; chroot "x$$"; chdir ".." for 1 .. 64; chroot "."; open my $f, "<", $ARGV[0] or print $!; print <$f>`;
      return findSecrets(await run('unshare', ['-Ur', 'perl', '-e', script, facts.files['run-open'] as string]), facts);
    },
  },
  {
    id: 'kernel.map-root',
    tries: 'maps root of the host into a user namespace of its own',
    act: async () =>
      perl(`pipe my $r, my $w; my $pid = fork;
        if ($pid == 0) { exec 'unshare', '-U', 'sleep', '2' }
        select undef, undef, undef, 0.3; open my $map, '>', "/proc/$pid/uid_map" or failed();
        syswrite($map, "0 0 1") ? ok('mapped') : failed(); kill 9, $pid`),
    // The user namespace of the host lets its root map anyone; in a build of an engine, that is the builder itself.
    from: SERVICE_ONLY,
  },
  {
    id: 'kernel.move-out-of-limits',
    tries: 'moves itself to the outermost control group',
    // In a container the root of the groups may be a plain file system, where the file would only be made.
    act: async () =>
      listCgroupRoots()
        .map((folder) => `${folder}/cgroup.procs`)
        .filter((file) => existsSync(file))
        .map(writeSelf),
  },
  {
    id: 'kernel.mount-cgroups',
    tries: 'mounts the control groups and moves itself, as root of a user namespace of its own',
    act: async () =>
      run('unshare', [
        ...['-UrmC', 'sh', '-c'],
        `d=./cgroups-$$; mkdir $d; mount -t cgroup2 none $d || mount -t cgroup -o memory none $d; echo $$ > $d/cgroup.procs && ${SAY} moved; umount $d; rmdir $d`,
      ]),
  },
  {
    id: 'kernel.become-root',
    tries: 'becomes root with setuid',
    act: async () => perl(`use POSIX; POSIX::setuid(0); POSIX::setgid(0); $> == 0 ? ok('root') : failed()`),
    from: SERVICE_ONLY,
  },
  {
    id: 'kernel.capabilities',
    tries: 'finds capabilities of the host in its sets',
    act: async () => {
      const sets =
        readStart('/proc/self/status')
          .toString()
          .match(/^Cap(?:Inh|Prm|Eff|Amb):\s+\w+$/gm) ?? [];
      return sets.some((line) => /[1-9a-f]\w*$/.test(line.split(':')[1] ?? '')) ? gotThrough(sets.join(' ')) : sets;
    },
    from: SERVICE_ONLY,
  },
  {
    id: 'kernel.new-privileges',
    tries: 'may gain privileges by running programs',
    act: async () => {
      const line = /^NoNewPrivs:\s+(\d)$/m.exec(readStart('/proc/self/status').toString())?.[1];
      return line === '0' ? gotThrough('no_new_privs is not set') : `no_new_privs: ${line}`;
    },
    from: SERVICE_ONLY,
  },
  {
    id: 'kernel.raise-limit',
    tries: 'raises its hard limit of real-time priority',
    act: async () => perl(`my $limit = pack 'QQ', 99, 99; try('raised', syscall($call{prlimit64}, 0, 14, $limit, 0))`),
    // Root of a virtual machine or a container may lack CAP_SYS_RESOURCE: it can lower limits, as everyone can.
    control: async () =>
      perl(`my $limit = pack 'QQ', 0, 0; try('lowered', syscall($call{prlimit64}, 0, 14, $limit, 0))`),
  },
  {
    id: 'kernel.outlive-memory',
    tries: 'exempts itself from being killed for memory',
    act: async () => setOomScore(-1_000),
    control: async () => setOomScore(900),
  },
  {
    id: 'kernel.host-name',
    tries: 'changes the host name',
    act: async () => perl(`my $name = 'spoilt'; try('changed', syscall($call{sethostname}, $name, 6))`),
    control: 'namespaced',
  },
  {
    id: 'kernel.clock',
    tries: 'sets the clock',
    act: async () =>
      perl(`use Time::HiRes 'time'; my $now = time; my $spec = pack 'qq', int $now, int(($now - int $now) * 1e9);
        try('set', syscall($call{clock_settime}, 0, $spec))`),
  },
  {
    id: 'kernel.reboot',
    tries: 'is allowed to restart the machine',
    // The magic numbers are wrong: the kernel looks at privileges first, and nothing happens to those who have them.
    act: async () =>
      perl(`syscall($call{reboot}, 0, 0, 0, 0); $!{EINVAL} ? ok('only the numbers were wrong') : failed()`),
  },
  {
    id: 'kernel.load-code',
    tries: 'loads a module, a kernel or a BPF map',
    act: async () =>
      perl(`my ($none, $map) = ('', pack 'L5x108', 2, 4, 4, 1, 0);
        try('BPF', syscall($call{bpf}, 0, $map, 128));
        syscall($call{init_module}, 0, 0, $none); $!{EPERM} || $!{ENOSYS} ? failed() : ok("module: $!");
        syscall($call{kexec_load}, 0, 0, 0, 0x7000); $!{EPERM} || $!{ENOSYS} ? failed() : ok("kexec: $!")`),
  },
  {
    id: 'kernel.watch-machine',
    tries: 'counts events of all processes of a CPU',
    act: async () =>
      perl(
        `my $attributes = pack 'LLQx112', 1, 128, 0; try('counting', syscall($call{perf_event_open}, $attributes, -1, 0, -1, 0))`,
      ),
  },
  {
    id: 'kernel.log',
    tries: "reads the kernel's log",
    act: async (facts) => {
      const output = await perl(`my $bytes = "\\0" x 1000000; my $n = syscall($call{syslog}, 3, $bytes, 1000000);
        $n < 0 ? failed() : print substr $bytes, 0, $n`);
      return findSecrets(output, facts).length > 0 ? findSecrets(output, facts) : output.slice(-200);
    },
  },
  {
    id: 'kernel.terminal',
    tries: 'opens the terminal of whoever started the server',
    act: async () => openForWriting('/dev/tty'),
    control: async () =>
      run('script', ['-qec', `perl -e 'open(F, "+<", "/dev/tty") and print "${gotThrough('')}"'`, '/dev/null']),
  },
  {
    id: 'kernel.virtual-machines',
    tries: 'opens devices of the machine',
    act: async () =>
      readdirSync('/dev')
        .filter((name) => /^(kvm|loop|fuse|vd|sd|nvme|mapper|dri|mem|tpm|rtc|hwrng|watchdog|uinput)/.test(name))
        .map((name) => openForWriting(`/dev/${name}`)),
  },
];

const SAY = `echo ${gotThrough('').trim()}`;

function succeeds(output: string): string {
  return output.endsWith('ended: 0') ? gotThrough(output) : output;
}

function openForWriting(path: string): string {
  try {
    // O_WRONLY | O_NONBLOCK | O_NOCTTY: nothing is truncated, nothing waited for.
    closeSync(openSync(path, 1 | 0x800 | 0x100));
    return gotThrough(`${path} is open`);
  } catch (error) {
    return codeOf(error);
  }
}

function listCgroupRoots(): string[] {
  const root = '/sys/fs/cgroup';
  try {
    return [root, ...readdirSync(root).map((name) => `${root}/${name}`)];
  } catch {
    return [root];
  }
}

function writeSelf(path: string): string {
  try {
    writeFileSync(path, String(process.pid));
    return gotThrough(path);
  } catch (error) {
    return codeOf(error);
  }
}

async function setOomScore(score: number): Promise<string> {
  const source = `open my $f, '>', '/proc/self/oom_score_adj' or failed(); syswrite($f, $ARGV[0]) ? ok('set') : failed()`;
  return perl(source, [score]);
}
