import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { closeSync, openSync, readSync } from 'node:fs';
import { connect, type NetConnectOpts } from 'node:net';
import type { Facts } from './attempt.ts';

/** A connection that is dropped in silence is given up after this long. */
const NET_TIMEOUT_MS = 1_500;
const PROGRAM_TIMEOUT_MS = 4_000;
const READ_BYTES = 4 * 2 ** 20;

/** All secrets of the stage in some bytes. */
export function findSecrets(bytes: Buffer | string, { secretPrefix }: Pick<Facts, 'secretPrefix'>): string[] {
  const text = typeof bytes === 'string' ? bytes : bytes.toString('latin1');
  return [...new Set(text.match(new RegExp(`${secretPrefix}[a-z0-9-]+`, 'g')) ?? [])];
}

/** Reads up to 4 MiB of a file and answers the secrets in it, or the error's code. */
export function readSecrets(path: string, facts: Facts): string[] | string {
  try {
    return findSecrets(readStart(path), facts);
  } catch (error) {
    return codeOf(error);
  }
}

/** The first 4 MiB of a file, as far as it can be read without waiting. */
export function readStart(path: string): Buffer {
  const file = openSync(path, 0x800 /* O_RDONLY | O_NONBLOCK */);
  try {
    const bytes = Buffer.alloc(READ_BYTES);
    let length = 0;
    for (let count = 1; count > 0 && length < READ_BYTES; length += count) {
      try {
        count = readSync(file, bytes, length, READ_BYTES - length, null);
      } catch (error) {
        // EAGAIN at the end of what a pipe or a log holds.
        if (length === 0) throw error;
        break;
      }
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** What `act` answers, or the error's code. */
export async function attempt(act: () => unknown): Promise<unknown> {
  try {
    return await act();
  } catch (error) {
    return codeOf(error);
  }
}

export function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

/** Sends an HTTP request and answers the first bytes that come back, or how the connection failed. */
export function reach(options: NetConnectOpts): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(options);
    const finish = (end: string): void => {
      socket.destroy();
      resolve(text || end);
    };
    const timer = setTimeout(() => finish('timeout'), NET_TIMEOUT_MS);
    socket.on('connect', () => socket.write('GET / HTTP/1.0\r\nHost: x\r\n\r\n'));
    socket.on('data', (chunk) => {
      text += chunk;
      if (text.length > 65_536) finish('');
    });
    socket.on('error', (error) => finish(codeOf(error)));
    socket.on('close', () => {
      clearTimeout(timer);
      finish('closed');
    });
  });
}

/** {@link reach} over TCP, at several addresses. */
export function reachAll(hosts: readonly string[], port: number): Promise<string[]> {
  return Promise.all(hosts.map(async (host) => `${host}: ${await reach({ host, port })}`));
}

/** Sends a datagram and answers the one that comes back. */
export function reachByUdp(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    const finish = (end: string): void => {
      clearTimeout(timer);
      socket.close();
      resolve(end);
    };
    const timer = setTimeout(() => finish('timeout'), NET_TIMEOUT_MS);
    socket.on('message', (bytes) => finish(bytes.toString()));
    socket.on('error', (error) => finish(codeOf(error)));
    socket.send('hello', port, host, (error) => error && finish(codeOf(error)));
  });
}

/** Runs a program without a shell; what it printed, both streams, and how it ended. It is killed after four seconds. */
export function run(program: string, words: readonly string[] = [], env?: Record<string, string>): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], ...(env && { env }) });
    let text = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), PROGRAM_TIMEOUT_MS);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
    child.on('error', (error) => resolve(codeOf(error)));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve(`${text}\nended: ${signal ?? code}`);
    });
  });
}

/** Numbers of system calls. Source: the kernel's syscall_64.tbl and asm-generic/unistd.h. */
const CALLS = {
  x64: {
    add_key: 248,
    bpf: 321,
    clock_settime: 227,
    init_module: 175,
    kexec_load: 246,
    keyctl: 250,
    mknod: 133,
    open_by_handle_at: 304,
    perf_event_open: 298,
    pidfd_getfd: 438,
    pidfd_open: 434,
    pidfd_send_signal: 424,
    process_vm_readv: 310,
    prlimit64: 302,
    ptrace: 101,
    reboot: 169,
    renameat2: 316,
    sethostname: 170,
    setns: 308,
    syslog: 103,
  },
  arm64: {
    add_key: 217,
    bpf: 280,
    clock_settime: 112,
    init_module: 105,
    kexec_load: 104,
    keyctl: 219,
    mknod: 33,
    open_by_handle_at: 265,
    perf_event_open: 241,
    pidfd_getfd: 438,
    pidfd_open: 434,
    pidfd_send_signal: 424,
    process_vm_readv: 270,
    prlimit64: 261,
    ptrace: 117,
    reboot: 142,
    renameat2: 276,
    sethostname: 161,
    setns: 268,
    syslog: 116,
  },
} as const;

/**
 * Runs a Perl program: every Debian system has Perl, and it makes system calls by number. `$call{name}` has the numbers; `ok(what)`
 * prints evidence and `failed()` the error.
 */
export function perl(source: string, words: readonly (string | number)[] = []): Promise<string> {
  const calls = CALLS[process.arch as keyof typeof CALLS] ?? CALLS.x64;
  const numbers = Object.entries(calls).map(([name, number]) => `${name} => ${number}`);
  const prelude = `$| = 1; my %call = (${numbers.join(', ')});
    sub ok { print "GOT-THROUGH: $_[0]\\n" } sub failed { print "failed: $!\\n" }
    sub try { my ($what, $result) = @_; $result >= 0 ? ok($what) : failed() }\n`;
  return run('perl', ['-e', prelude + source, ...words.map(String)]);
}
