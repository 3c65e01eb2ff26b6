import { readdirSync, statSync } from 'node:fs';
import { type Facts, gotThrough, type InsideAttempt } from './attempt.ts';
import { attempt, findSecrets, perl, readSecrets } from './tools.ts';

const TARGETS = ['server', 'victim', 'decoy'] as const;

export const PROCESS_ATTEMPTS: readonly InsideAttempt[] = [
  ...TARGETS.map(
    (whose): InsideAttempt => ({
      id: `processes.environment-of-${whose}`,
      tries: `reads the environment of the ${whose}`,
      act: async (facts) => readSecrets(`/proc/${facts.pids[whose]}/environ`, facts),
    }),
  ),
  {
    id: 'processes.all-environments',
    tries: 'reads the environments and command lines of all processes that it sees',
    act: async (facts) =>
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .flatMap((pid) => ['environ', 'cmdline'].map((file) => readSecrets(`/proc/${pid}/${file}`, facts)))
        .filter((found) => typeof found !== 'string' && found.length > 0),
  },
  {
    id: 'processes.own-environment',
    tries: "finds the server's secrets in its own environment, its PATH or that of its ancestors",
    act: async (facts) => findSecrets(JSON.stringify(process.env), facts),
    control: async (facts) => {
      const found = findSecrets(JSON.stringify({ ...process.env, A: `${facts.secretPrefix}control` }), facts);
      return found.length === 1 ? gotThrough('a secret is found') : found;
    },
  },
  ...(['root', 'cwd'] as const).map(
    (link): InsideAttempt => ({
      id: `processes.${link}-of-decoy`,
      tries: `reads files through /proc/PID/${link} of the decoy`,
      act: async (facts) =>
        readSecrets(
          `/proc/${facts.pids.decoy}/${link}${link === 'root' ? facts.files['data-folder'] : '/secret'}`,
          facts,
        ),
    }),
  ),
  ...(['decoy', 'server'] as const).map(
    (whose): InsideAttempt => ({
      id: `processes.descriptors-of-${whose}`,
      tries: `reads files through the descriptors of the ${whose}`,
      act: async (facts) => attempt(() => readDescriptors(`/proc/${facts.pids[whose]}/fd`, facts)),
    }),
  ),
  {
    id: 'processes.memory-of-decoy',
    tries: 'reads the memory of the decoy through /proc/PID/mem',
    act: async (facts) => {
      const output = await perl(READ_MEMORY, [facts.pids.decoy, facts.secretPrefix]);
      return findSecrets(output, facts).length > 0 ? findSecrets(output, facts) : output.slice(-200);
    },
  },
  {
    id: 'processes.read-memory-call',
    tries: 'reads the memory of the decoy with process_vm_readv',
    act: async ({ pids }) =>
      perl(
        `my $pid = $ARGV[0]; open my $maps, '<', "/proc/$pid/maps"; my $first = $maps ? <$maps> : '';
        my ($address) = map { hex } ($first // '') =~ /^([0-9a-f]+)/; $address //= 0x400000;
        my $bytes = "\\0" x 16; my $here = pack 'QQ', unpack('Q', pack('P', $bytes)), 16; my $there = pack 'QQ', $address, 16;
        my $n = syscall($call{process_vm_readv}, $pid + 0, $here, 1, $there, 1, 0);
        try("read $n bytes", $n)`,
        [pids.decoy],
      ),
  },
  {
    id: 'processes.trace',
    tries: 'attaches to the decoy as a debugger',
    act: async ({ pids }) =>
      perl(
        `my $pid = $ARGV[0] + 0; my $n = syscall($call{ptrace}, 16, $pid, 0, 0); try('attached', $n);
        if ($n == 0) { waitpid $pid, 0x40000000; syscall($call{ptrace}, 17, $pid, 0, 0) }`,
        [pids.decoy],
      ),
  },
  {
    id: 'processes.signal',
    tries: 'sends a signal to the decoy',
    act: async ({ pids }) => attempt(() => process.kill(pids.decoy, 'SIGUSR1')),
    leaves: { mark: 'decoy-signals', text: 'USR1' },
  },
  {
    id: 'processes.signal-to-all',
    tries: 'sends a signal to every process that it may',
    // The one signal that does no harm to the processes of the machine, should it reach them.
    act: async () => perl(`kill 'CONT', -1`),
    leaves: { mark: 'decoy-signals', text: 'CONT' },
    control: async () =>
      perl(`pipe my $r, my $w; if (fork == 0) { $SIG{CONT} = sub { ok('a child got it'); exit }; syswrite $w, 'x'; sleep 2; exit }
        sysread $r, my $byte, 1; kill 'CONT', -1; wait`),
    isAlone: true,
  },
  {
    id: 'processes.signal-by-descriptor',
    tries: 'sends a signal to the decoy through a process descriptor',
    act: async ({ pids }) =>
      perl(
        `my $fd = syscall($call{pidfd_open}, $ARGV[0] + 0, 0);
        $fd < 0 ? failed() : try('sent', syscall($call{pidfd_send_signal}, $fd, 12, 0, 0))`,
        [pids.decoy],
      ),
    leaves: { mark: 'decoy-signals', text: 'USR2' },
  },
  {
    id: 'processes.take-descriptor',
    tries: 'copies a descriptor of the decoy with pidfd_getfd',
    act: async (facts) => {
      const output = await perl(
        `my $fd = syscall($call{pidfd_open}, $ARGV[0] + 0, 0); if ($fd < 0) { failed(); exit }
        for my $n (3 .. 9) {
          my $copy = syscall($call{pidfd_getfd}, $fd, $n, 0); if ($copy < 0) { failed(); next }
          open my $file, '<', "/proc/self/fd/$copy" or next; print <$file> }`,
        [facts.pids.decoy],
      );
      return findSecrets(output, facts).length > 0 ? findSecrets(output, facts) : output.slice(-200);
    },
  },
  ...(['mnt', 'net', 'pid', 'ipc', 'uts', 'user', 'cgroup'] as const).map(
    (kind): InsideAttempt => ({
      id: `processes.enter-${kind}-namespace`,
      tries: `enters the ${kind} namespace of the decoy`,
      act: async ({ pids }) =>
        perl(
          `open my $f, '<', "/proc/$ARGV[0]/ns/${kind}" or (failed(), exit);
          try('entered', syscall($call{setns}, fileno($f), 0))`,
          [pids.decoy],
        ),
      // No one may enter the user namespace that they are in: on the host it takes a child to show that the call works.
      ...(kind === 'user' ? { control: enterOwnChild } : {}),
    }),
  ),
  {
    id: 'processes.change-limits',
    tries: 'changes the resource limits of the decoy',
    act: async ({ pids }) =>
      perl(`my $limit = pack 'QQ', 256, 256; try('changed', syscall($call{prlimit64}, $ARGV[0] + 0, 7, $limit, 0))`, [
        pids.decoy,
      ]),
    control: async () =>
      perl(`my $pid = fork; if ($pid == 0) { sleep 2; exit } my $limit = pack 'QQ', 256, 256;
        try('changed', syscall($call{prlimit64}, $pid, 7, $limit, 0)); kill 9, $pid`),
  },
  {
    id: 'processes.change-priority',
    tries: 'changes the priority of the decoy',
    act: async ({ pids }) => perl(`$! = 0; setpriority(0, $ARGV[0], 5) ? ok('changed') : failed()`, [pids.decoy]),
  },
  {
    id: 'processes.shared-memory',
    tries: 'reads System V shared memory of the host that everybody may read',
    act: async (facts) => {
      const output = await perl(
        `my $id = shmget($ARGV[0], 0, 0); defined $id or (failed(), exit); my $bytes = ''; shmread($id, $bytes, 0, 128) ? print($bytes) : failed()`,
        [facts.sharedMemoryKey],
      );
      return findSecrets(output, facts).length > 0 ? findSecrets(output, facts) : output.slice(0, 200);
    },
  },
  {
    id: 'processes.session-keyring',
    tries: "reads the keys of the server's session from the kernel",
    act: async (facts) => findSecrets(await perl(READ_KEY), facts),
    control: {
      host: async ({ secretPrefix }) => {
        const output = await perl(`${ADD_KEY} ${READ_KEY}`, [`${secretPrefix}control`]);
        return output.includes(`${secretPrefix}control`) ? gotThrough('a key of its own is read') : output;
      },
    },
  },
];

/** Secrets in the open files of a process. Pipes are left alone: to read one is to take from it, and the server would miss it. */
function readDescriptors(folder: string, facts: Facts): unknown {
  return readdirSync(folder)
    .map((name) => `${folder}/${name}`)
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
    .map((file) => readSecrets(file, facts));
}

/** Enters the user namespace of a child that made one. */
async function enterOwnChild(): Promise<unknown> {
  return perl(`
    pipe my $r, my $w; my $pid = fork;
    if ($pid == 0) { close $r; exec 'unshare', '-U', 'sh', '-c', 'echo ready >&' . fileno($w) . '; sleep 2' }
    select undef, undef, undef, 0.3; open my $f, '<', "/proc/$pid/ns/user" or (failed(), exit);
    print readlink "/proc/$pid/ns/user"; syscall($call{setns}, fileno($f), 0); ok('the namespace of a child can be opened'); kill 9, $pid`);
}

/** Joins a new session keyring and adds a key. Numbers of operations: keyctl(2). */
const ADD_KEY = `my ($type, $name, $key) = ('user', 'berth-planted', shift);
  syscall($call{keyctl}, 1, $type); syscall($call{add_key}, $type, $name, $key, length $key, -3);`;

/** Searches the session keyring and prints the key. */
const READ_KEY = `my ($kind, $label, $bytes) = ('user', 'berth-planted', "\\0" x 128);
  my $id = syscall($call{keyctl}, 10, -3, $kind, $label, 0); if ($id < 0) { failed(); exit }
  my $n = syscall($call{keyctl}, 11, $id, $bytes, 128); $n < 0 ? failed() : print substr $bytes, 0, $n;`;

/** All writable memory up to 16 MiB a mapping; prints what begins with the secret's prefix. */
const READ_MEMORY = `
  my ($pid, $prefix) = @ARGV; open my $maps, '<', "/proc/$pid/maps" or (failed(), exit);
  open my $memory, '<', "/proc/$pid/mem" or (failed(), exit);
  for my $line (<$maps>) {
    my ($from, $to) = $line =~ /^([0-9a-f]+)-([0-9a-f]+) rw/ or next; ($from, $to) = (hex $from, hex $to);
    next if $to - $from > 16 << 20; sysseek $memory, $from, 0 or next; sysread $memory, my $bytes, $to - $from or next;
    print "$1\\n" while $bytes =~ /($prefix[a-z0-9-]+)/g }`;
