/** One way out of a container, and how it is refused. */
export interface EscapeAttempt {
  readonly name: string;
  /** Body of an async function in the container that returns what came of it. It has {@link ESCAPE_HELPERS}. */
  readonly attempt: string;
  readonly refusal: RegExp;
}

/**
 * `sh(line)`: exit code and output; `file(path, flags)`: `opened` or the error; `content(path)`: its length or the error; `call(number, …)`:
 * `done …` or `refused <errno>` of a system call, by its number on x86-64; `to(host, port)`: `connected` or the error.
 */
export const ESCAPE_HELPERS = `
  const { spawnSync } = require('node:child_process');
  const sh = (line) => { const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8', timeout: 10000 }); return status + ' ' + (stdout + stderr).trim(); };
  const file = (path, flags = 'r') => { try { fs.closeSync(fs.openSync(path, flags)); return 'opened'; } catch (error) { return error.code; } };
  const content = (path) => { try { return 'bytes ' + fs.readFileSync(path).length; } catch (error) { return error.code; } };
  const call = (...words) => sh('perl -e \\'my @w = (' + words.join(', ') + '); my $r = syscall($w[0], @w[1..$#w]); print $r < 0 ? "refused " . ($!+0) : "done $r"\\'').slice(2);
  const to = (host, port) => new Promise((resolve) => { const socket = require('node:net').connect({ host, port, timeout: 3000 });
    socket.on('connect', () => resolve('connected')).on('error', (error) => resolve(error.code)).on('timeout', () => resolve('timeout')); });`;

const ROOT_ONLY = /^(EACCES|EPERM|EROFS|ENOENT)$/;
const NOT_THERE = /^ENOENT$/;
const MASKED = /^(bytes 0|EACCES|EPERM|ENOENT)$/;
/** EPERM or ENOSYS: what seccomp answers. Source: moby profiles/seccomp/default.json. */
const BY_FILTER = /^refused (1|38)$/;
const NOT_PERMITTED = /not permitted|Permission denied|Invalid argument|must be (superuser|root)/i;
const UNREACHABLE = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EINVAL|timeout)$/;

const opened = (name: string, path: string, flags: string, refusal: RegExp): EscapeAttempt => ({
  name,
  attempt: `return file(${JSON.stringify(path)}, '${flags}')`,
  refusal,
});
const masked = (path: string): EscapeAttempt => ({
  name: `reads ${path}`,
  attempt: `return content(${JSON.stringify(path)})`,
  refusal: MASKED,
});
const called = (name: string, ...words: readonly (string | number)[]): EscapeAttempt => ({
  name: `calls ${name}`,
  attempt: `return call(${words.map((word) => JSON.stringify(String(word))).join(', ')})`,
  refusal: BY_FILTER,
});
const ran = (name: string, line: string, refusal: RegExp = NOT_PERMITTED): EscapeAttempt => ({
  name,
  attempt: `return sh(${JSON.stringify(line)})`,
  refusal,
});
/** @param target Name of a variable of the container: `host:port`. */
const connected = (name: string, target: string): EscapeAttempt => ({
  name,
  attempt: `const [, host, port] = /^(.*):(\\d+)$/.exec(process.env.${target}); return to(host, Number(port))`,
  refusal: UNREACHABLE,
});

/** Holds for services and for steps of builds alike: by the engine's filter, its masked paths and its list of devices. */
const KERNEL: readonly EscapeAttempt[] = [
  ran('mounts a file system', 'mount -t tmpfs none /mnt'),
  ran('mounts the kernel settings writable', 'mount -o remount,rw /proc/sys'),
  ran('unmounts a mask', 'umount /proc/kcore || umount /proc/keys', /not permitted|No such file|must be/i),
  ran('makes a mount namespace', 'unshare -m true'),
  ran('makes a network namespace', 'unshare -n true'),
  ran('makes a user namespace', 'unshare -Ur true'),
  ran('enters another namespace', 'nsenter -t 1 -m true'),
  ran('reads a disk through a device of its own', 'mknod /tmp/disk b 254 0 && head -c1 /tmp/disk'),
  ran('reads memory through a device of its own', 'mknod /tmp/memory c 1 1 && head -c1 /tmp/memory'),
  ran('changes the name of the machine', 'hostname escaped'),
  ran('changes the clock', 'date -s 2001-01-01'),
  called('keyctl', 250, 0, -3, 0),
  called('add_key', 248, '"user"', '"a"', '"b"', 1, -3),
  called('bpf', 321, 0, 0, 0),
  called('perf_event_open', 298, 0, 0, -1, -1, 0),
  called('userfaultfd', 323, 0),
  called('open_by_handle_at', 304, -100, 0, 0),
  called('kexec_load', 246, 0, 0, 0, 0),
  called('init_module', 175, 0, 0, '""'),
  called('reboot', 169, 0, 0, 0, 0),
  called('swapon', 167, '"/x"', 0),
  called('pivot_root', 155, '"/"', '"/"'),
  called('open_tree', 428, -100, '"/"', 1),
  called('acct', 163, '"/x"'),
  called('syslog', 103, 3, 0, 0),
  called('iopl', 172, 3),
  {
    name: 'traces a process of the machine',
    attempt: 'return call(101, 16, process.env.HOST_PID, 0, 0)',
    refusal: /^refused (1|3|38)$/,
  },
  opened('triggers a reboot', '/proc/sysrq-trigger', 'r+', ROOT_ONLY),
  opened('has the kernel start a program on a crash', '/proc/sys/kernel/core_pattern', 'r+', ROOT_ONLY),
  opened('has the kernel start a program for a module', '/proc/sys/kernel/modprobe', 'r+', ROOT_ONLY),
  opened('has the kernel start a program on an event', '/sys/kernel/uevent_helper', 'r+', ROOT_ONLY),
  {
    name: 'makes a control group',
    attempt: `return sh('d=/sys/fs/cgroup; [ -d $d/memory ] && d=$d/memory; mkdir $d/escaped')`,
    refusal: /Read-only|denied|not permitted/i,
  },
  masked('/proc/kcore'),
  masked('/proc/keys'),
  masked('/proc/timer_list'),
  opened('opens the memory of the machine', '/dev/mem', 'r', NOT_THERE),
  opened('opens the log of the kernel', '/dev/kmsg', 'r', NOT_THERE),
  opened('opens the first disk', '/dev/vda', 'r', NOT_THERE),
  opened('opens a SCSI disk', '/dev/sda', 'r', NOT_THERE),
  opened('opens virtual machines', '/dev/kvm', 'r', NOT_THERE),
  opened('opens file systems in user space', '/dev/fuse', 'r', NOT_THERE),
  opened('opens network devices', '/dev/net/tun', 'r', NOT_THERE),
  opened("opens the engine's socket", '/var/run/docker.sock', 'r+', NOT_THERE),
  opened("opens the engine's socket by another name", '/run/docker.sock', 'r+', NOT_THERE),
  opened("opens the engine's other socket", '/run/containerd/containerd.sock', 'r+', NOT_THERE),
  { name: 'opens a file of the machine', attempt: 'return file(process.env.HOST_FILE)', refusal: NOT_THERE },
  {
    name: 'finds a process of the machine',
    attempt:
      'try { process.kill(Number(process.env.HOST_PID), 0); return "found"; } catch (error) { return error.code; }',
    refusal: /^ESRCH$/,
  },
  {
    name: "finds the server's environment",
    attempt: 'return sh("env; cat /proc/1/environ").includes("canary") ? "found" : "nothing"',
    refusal: /^nothing$/,
  },
  connected("reaches what listens on the machine, by its bridge's address", 'GATEWAY'),
  connected('reaches what listens on the machine, by its own address', 'MACHINE'),
  connected('reaches what listens on the machine for names', 'MACHINE_NAMES'),
  connected('reaches the metadata service', 'METADATA'),
  connected('reaches another link-local address', 'LINK_LOCAL'),
  connected('reaches the metadata service by IPv6', 'METADATA6'),
  connected('reaches a blocked range', 'BLOCKED'),
  connected('reaches a service of another account', 'OTHER_ACCOUNT'),
  connected('reaches a service of its own account past the gateway', 'SIBLING'),
];

/** What a step of a build may try: it is root in its container. */
export const BUILD_ATTEMPTS: readonly EscapeAttempt[] = KERNEL;

/** What a service may try: it is no one in its container. */
export const SERVICE_ATTEMPTS: readonly EscapeAttempt[] = [
  ...KERNEL,
  {
    name: 'becomes root',
    attempt: 'try { process.setuid(0); return "root"; } catch (error) { return error.code; }',
    refusal: /^EPERM$/,
  },
  {
    name: 'joins the group of root',
    attempt: 'try { process.setgid(0); return "root"; } catch (error) { return error.code; }',
    refusal: /^EPERM$/,
  },
  {
    name: 'joins the group of other volumes',
    attempt: 'try { process.setgroups([700000001]); return "joined"; } catch (error) { return error.code; }',
    refusal: /^EPERM$/,
  },
  ran("becomes root by its image's setuid program", '/escape-id -u', /^0 10001$/),
  ran('makes a setuid program', 'cp /usr/bin/id /tmp/id && chmod 4755 /tmp/id && /tmp/id -u', /^0 10001$/),
  ran(
    'has any capability',
    'grep -E "^Cap(Prm|Eff|Bnd|Amb)" /proc/self/status | grep -v ":.0*$" || echo none',
    /^0 none$/,
  ),
  ran('runs without a filter', 'grep -cE "^(Seccomp:.2|NoNewPrivs:.1)$" /proc/self/status', /^0 2$/),
  ran('changes its root', 'chroot / true'),
  ran('sends raw packets', 'perl -e \'socket(S, 2, 3, 1) or die "$!"\''),
  ran('sends raw frames', 'perl -e \'socket(S, 17, 3, 0x0300) or die "$!"\''),
  ran('gives a file away', 'touch /tmp/x && chown 0 /tmp/x'),
  ran('takes precedence over others', 'renice -n -10 $$'),
  {
    name: 'is the last to be ended for memory',
    attempt:
      'try { fs.writeFileSync("/proc/self/oom_score_adj", "-1000"); return "done"; } catch (error) { return error.code; }',
    refusal: /^EACCES$/,
  },
  opened('writes the program of its first process', '/proc/1/exe', 'r+', /^(EACCES|EROFS|ETXTBSY|EPERM)$/),
  opened("writes its image's users", '/etc/passwd', 'r+', ROOT_ONLY),
  opened("reads its image's passwords", '/etc/shadow', 'r', ROOT_ONLY),
  opened("writes its image's programs", '/usr/bin/perl', 'r+', ROOT_ONLY),
  { name: 'follows a link of a volume to the machine', attempt: 'return file("/data/link")', refusal: NOT_THERE },
  {
    name: 'follows a link above a volume',
    attempt: 'return file("/data/../" + process.env.HOST_FILE)',
    refusal: NOT_THERE,
  },
];
