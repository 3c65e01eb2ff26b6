/** A raw system call: its number on x64 and on arm64, its arguments, the error it must end with. */
type Attempt = readonly [name: string, x64: number, arm64: number, args: readonly number[], errno: string];

const CLONE_NEWUSER = 0x1000_0000;
const SIGCHLD = 17;
const HIGH_BIT = 2 ** 32;

/** Most of these succeed in a sandbox without the filter, or fail otherwise (EFAULT, EINVAL, ENOTTY). */
const ATTEMPTS: readonly Attempt[] = [
  ['unshare', 272, 97, [CLONE_NEWUSER], 'EPERM'],
  // CLONE_NEWTIME, which clone(2) does not know.
  ['unshare', 272, 97, [0x80], 'EPERM'],
  ['clone', 56, 220, [CLONE_NEWUSER + SIGCHLD, 0, 0, 0, 0], 'EPERM'],
  ['clone3', 435, 435, [0, 0], 'ENOSYS'],
  ['setns', 308, 268, [-1, 0], 'EPERM'],
  ['mount', 165, 40, [0, 0, 0, 0, 0], 'EPERM'],
  ['umount2', 166, 39, [0, 0], 'EPERM'],
  ['pivot_root', 155, 41, [0, 0], 'EPERM'],
  ['chroot', 161, 51, [0], 'EPERM'],
  ['open_tree', 428, 428, [-1, 0, 0], 'EPERM'],
  ['fsopen', 430, 430, [0, 0], 'EPERM'],
  ['add_key', 248, 217, [0, 0, 0, 0, 0], 'EPERM'],
  ['request_key', 249, 218, [0, 0, 0, 0], 'EPERM'],
  // KEYCTL_GET_KEYRING_ID of the session's keyring.
  ['keyctl', 250, 219, [0, -3, 0], 'EPERM'],
  ['bpf', 321, 280, [0, 0, 0], 'EPERM'],
  ['perf_event_open', 298, 241, [0, 0, -1, -1, 0], 'EPERM'],
  ['userfaultfd', 323, 282, [1], 'EPERM'],
  ['io_uring_setup', 425, 425, [1, 0], 'EPERM'],
  ['io_uring_enter', 426, 426, [-1, 0, 0, 0, 0, 0], 'EPERM'],
  ['io_uring_register', 427, 427, [-1, 0, 0, 0], 'EPERM'],
  // TIOCSTI and TIOCLINUX, also with a bit that the kernel cuts off.
  ['ioctl', 16, 29, [0, 0x5412, 0], 'EPERM'],
  ['ioctl', 16, 29, [0, 0x5412 + HIGH_BIT, 0], 'EPERM'],
  ['ioctl', 16, 29, [0, 0x541c, 0], 'EPERM'],
  // AF_PACKET, AF_ALG, AF_VSOCK; AF_NETLINK with NETLINK_NETFILTER.
  ['socket', 41, 198, [17, 3, 0], 'EAFNOSUPPORT'],
  ['socket', 41, 198, [38, 5, 0], 'EAFNOSUPPORT'],
  ['socket', 41, 198, [40, 1, 0], 'EAFNOSUPPORT'],
  ['socket', 41, 198, [16, 3, 12], 'EAFNOSUPPORT'],
  // AF_TIPC.
  ['socketpair', 53, 199, [30, 1, 0, 0], 'EAFNOSUPPORT'],
  // A number that no kernel has.
  ['unknown', 900, 900, [], 'ENOSYS'],
];

/** A program that makes each call and prints its name and errno (0: it succeeded), and what it should print. */
export function attempts(architecture: 'x64' | 'arm64') {
  const calls = ATTEMPTS.map(([name, x64, arm64, args]) => [name, architecture === 'x64' ? x64 : arm64, args]);
  const source = `
import ctypes, json, os
libc = ctypes.CDLL(None, use_errno=True)
for name, number, arguments in json.loads('${JSON.stringify(calls)}'):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(one) for one in arguments])
    if name == 'clone' and result == 0:
        os._exit(0)
    print(name, ctypes.get_errno() if result == -1 else 0, flush=True)`;
  return { files: { 'main.py': source }, expected: ATTEMPTS.map(([name, , , , errno]) => [name, errno]) };
}

/** What services and builds rely on. Each prints `answer` last. */
interface Working {
  readonly name: string;
  readonly needs?: 'python3' | 'go' | 'npm';
  readonly files: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  readonly answer: string;
}

function node(name: string, source: string, answer: string): Working {
  return { name: `Node, ${name}`, files: { 'main.mjs': source }, command: ['node', 'main.mjs'], answer };
}

function python(name: string, source: string, answer: string): Working {
  return {
    name: `Python, ${name}`,
    needs: 'python3',
    files: { 'main.py': source },
    command: ['python3', 'main.py'],
    answer,
  };
}

export const WORKING: readonly Working[] = [
  node(
    'worker threads',
    `import { Worker } from 'node:worker_threads';
    const worker = new Worker('require("node:worker_threads").parentPort.postMessage("from a thread")', { eval: true });
    worker.on('message', console.log);`,
    'from a thread',
  ),
  node(
    'child processes',
    `import { execFileSync, fork } from 'node:child_process';
    if (process.send) process.send(execFileSync('/bin/sh', ['-c', 'echo from a shell']).toString().trim()), process.disconnect();
    else fork('main.mjs').on('message', (said) => console.log(said));`,
    'from a shell',
  ),
  node(
    'sockets over TCP, UDP and a path',
    `import net from 'node:net'; import dgram from 'node:dgram'; import { once } from 'node:events';
    const seen = [];
    for (const address of [{ port: 0, host: '127.0.0.1' }, { path: 'socket' }]) {
      const server = net.createServer((socket) => socket.end('bytes')).listen(address);
      await once(server, 'listening');
      const client = net.connect(address.path ?? server.address().port);
      for await (const chunk of client) seen.push(String(chunk));
      server.close();
    }
    const receiver = dgram.createSocket('udp4').bind(0, '127.0.0.1');
    await once(receiver, 'listening');
    const sender = dgram.createSocket('udp4');
    sender.send('packet', receiver.address().port, '127.0.0.1');
    seen.push(String((await once(receiver, 'message'))[0]));
    receiver.close(); sender.close();
    console.log(seen.join());`,
    'bytes,bytes,packet',
  ),
  node(
    'network interfaces and names',
    `import os from 'node:os'; import { lookup } from 'node:dns/promises';
    console.log('lo' in os.networkInterfaces(), (await lookup('localhost', 4)).address);`,
    'true 127.0.0.1',
  ),
  node(
    'watched files',
    `import fs from 'node:fs';
    fs.writeFileSync('watched', '');
    fs.watch('watched', (event) => { console.log(event); process.exit(); });
    setInterval(() => fs.appendFileSync('watched', 'x'), 50);`,
    'change',
  ),
  node(
    'SQLite with a write-ahead log',
    `import { DatabaseSync } from 'node:sqlite';
    const database = new DatabaseSync('test.db');
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE rows (value); INSERT INTO rows VALUES (7)');
    console.log(database.prepare('SELECT value FROM rows').get().value);`,
    '7',
  ),
  python(
    'subprocesses and multiprocessing',
    `
import multiprocessing, subprocess
if __name__ == '__main__':
    said = subprocess.run(['/bin/sh', '-c', 'echo shell'], capture_output=True, text=True).stdout.strip()
    results = [said]
    for method in ['fork', 'spawn', 'forkserver']:
        with multiprocessing.get_context(method).Pool(2) as pool:
            results.append(str(sum(pool.map(abs, [-1, -2]))))
    print(*results)`,
    'shell 3 3 3',
  ),
  python(
    'asyncio',
    `
import asyncio
async def main():
    async def serve(reader, writer):
        writer.write(await reader.readline()); await writer.drain(); writer.close()
    server = await asyncio.start_server(serve, '127.0.0.1', 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(b'line\\n')
    line = (await reader.readline()).decode().strip()
    process = await asyncio.create_subprocess_exec('/bin/echo', 'child', stdout=asyncio.subprocess.PIPE)
    said = (await process.communicate())[0].decode().strip()
    print(line, said, await asyncio.to_thread(lambda: 'thread'))
asyncio.run(main())`,
    'line child thread',
  ),
  python(
    'epoll, memfd, sendfile, copies, shared memory, locks',
    `
import fcntl, os, select, socket
from multiprocessing import shared_memory
one, other = socket.socketpair()
epoll = select.epoll(); epoll.register(other.fileno(), select.EPOLLIN)
file = os.memfd_create('file'); os.write(file, b'content')
sent = os.sendfile(one.fileno(), file, 0, 7)
ready = len(epoll.poll(5))
memory = shared_memory.SharedMemory(create=True, size=4096); memory.buf[0] = 7
again = shared_memory.SharedMemory(memory.name); value = again.buf[0]
again.close(); memory.close(); memory.unlink()
with open('lock', 'w') as lock: fcntl.flock(lock, fcntl.LOCK_EX)
source, target = (os.open(name, os.O_CREAT | os.O_RDWR) for name in ['source', 'target'])
os.write(source, b'content')
print(sent, ready, other.recv(7).decode(), value, os.copy_file_range(source, target, 7, 0))`,
    '7 1 content 7 7',
  ),
  python(
    'a terminal of its own',
    `
import pty, os
pid, terminal = pty.fork()
if pid == 0:
    os.execv('/bin/echo', ['echo', 'typed'])
print(os.read(terminal, 100).decode().strip())`,
    'typed',
  ),
  {
    name: 'Go, built and run',
    needs: 'go',
    files: {
      'go.mod': 'module example.com/app\n',
      // Without `net`, which takes half a minute to compile: this is how it finds interfaces.
      'main.go': `package main
import ("os"; "os/exec"; "sync"; "syscall"; "time")
func main() {
  if _, err := syscall.NetlinkRIB(syscall.RTM_GETLINK, syscall.AF_UNSPEC); err != nil { panic(err) }
  var group sync.WaitGroup
  for range 50 { group.Add(1); go func() { defer group.Done(); time.Sleep(time.Millisecond) }() }
  group.Wait()
  said, err := exec.Command("/bin/echo", "a child").Output()
  if err != nil { panic(err) }
  os.Stdout.Write(said)
}`,
    },
    command: ['/bin/sh', '-c', 'go build -o app . && ./app'],
    answer: 'a child',
  },
  {
    name: 'npm, with a package and a script',
    needs: 'npm',
    files: {
      'package.json':
        '{"name":"app","version":"1.0.0","dependencies":{"dep":"file:./dep"},"scripts":{"say":"node -p \\"require(\'dep\')\\""}}',
      'dep/package.json': '{"name":"dep","version":"1.0.0","main":"main.js"}',
      'dep/main.js': `module.exports = 'from a package'`,
    },
    command: ['/bin/sh', '-c', 'npm install --offline --no-audit --no-fund && npm run --silent say'],
    answer: 'from a package',
  },
];
