import { spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import type { Facts } from '../inside/attempt.ts';
import type { Configuration } from './configurations.ts';
import type { Secrets } from './secrets.ts';

/** What the host of a configuration holds for attempts to find. Everything is taken away again. */
export interface Planted extends AsyncDisposable {
  readonly files: Record<string, string>;
  readonly host: Omit<Facts['host'], 'adminPort' | 'laterAddress' | 'aliasAddress'>;
  readonly sharedMemoryKey: number;
  readonly decoyPid: number;
  /** Where the decoy writes the names of the signals that it gets. */
  readonly decoySignals: string;
}

/** Files by name: folder of the host, mode. Those that only their owner may read belong to the server's user. */
const FILES = {
  'root-home': ['/root', 0o600],
  'ssh-key': ['/home', 0o600],
  etc: ['/etc', 0o600],
  'etc-open': ['/etc', 0o644],
  'run-open': ['/run', 0o644],
  'tmp-open': ['/tmp', 0o644],
  'srv-open': ['/srv', 0o644],
  'var-open': ['/var/lib', 0o644],
} as const;

/**
 * Plants files, listeners, sockets, a decoy process and addresses.
 * @param dataFolder of the server; belongs to its user.
 */
export async function plant({ uid = 0 }: Configuration, secrets: Secrets, dataFolder: string): Promise<Planted> {
  await using stack = new AsyncDisposableStack();
  const mine = `berth-planted-${secrets.prefix.slice(0, -1)}`;
  const files: Record<string, string> = {};
  const write = (file: string, text: string, mode: number): string => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, mode);
    if ((mode & 0o004) === 0) chownSync(file, uid, uid);
    return file;
  };
  for (const [name, [folder, mode]] of Object.entries(FILES)) {
    const base = path.join(folder, mine);
    files[name] = write(path.join(base, name), secrets.make(name), mode);
    stack.defer(() => rmSync(base, { recursive: true, force: true }));
  }
  // Whoever lists the folder has the name.
  write(path.join(dataFolder, secrets.make('name-in-data-folder')), '', 0o600);
  files['data-folder'] = write(path.join(dataFolder, 'planted'), secrets.make('data-folder'), 0o600);

  const setUserId = `/usr/local/bin/${mine}`;
  copyFileSync('/usr/bin/id', setUserId);
  stack.defer(() => rmSync(setUserId, { force: true }));
  chmodSync(setUserId, 0o4755);
  files['set-user-id'] = setUserId;

  const listen = async (name: string, at: object): Promise<Server> => {
    const answer = `HTTP/1.0 200 OK\r\n\r\n${secrets.make(name)}`;
    const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(answer)));
    server.listen(at);
    await once(server, 'listening');
    stack.defer(() => void server.close());
    return server;
  };
  // On every address, those of metadata services included.
  const tcp = await listen('host-tcp', { host: '::', port: 0 });
  const loopback = await listen('host-loopback', { host: '127.0.0.1', port: 0 });
  const loopbackPort = portOf(loopback);
  await listen('host-loopback-6', { host: '::1', port: loopbackPort });
  const abstractSocket = `${mine}-abstract`;
  await listen('abstract-socket', { path: `\0${abstractSocket}` });
  const openSocket = path.join('/run', mine, 'open.sock');
  await listen('open-socket', { path: openSocket });
  chmodSync(openSocket, 0o777);
  const privateSocket = path.join(dataFolder, 'planted.sock');
  await listen('private-socket', { path: privateSocket });
  chmodSync(privateSocket, 0o600);
  const udp = createSocket('udp6');
  const datagram = secrets.make('host-udp');
  udp.on('message', (_bytes, from) => udp.send(datagram, from.port, from.address));
  udp.bind(0);
  await once(udp, 'listening');
  stack.defer(() => void udp.close());

  const folder = path.join('/run', mine, 'decoy');
  mkdirSync(folder, { recursive: true });
  write(path.join(folder, 'secret'), secrets.make('decoy-folder'), 0o600);
  chmodSync(folder, 0o700);
  chownSync(folder, uid, uid);
  const decoySignals = path.join(folder, 'signals');
  const sharedMemoryKey = 0x42_00_00_00 + (process.pid & 0xffff) * 16 + (uid & 15);
  const decoy = spawn('perl', ['-e', DECOY, secrets.make('decoy-argument'), secrets.make('decoy-file')], {
    cwd: folder,
    ...{ uid, gid: uid },
    env: {
      SECRET: secrets.make('decoy-environment'),
      MEMORY: secrets.make('decoy-memory'),
      SHARED: secrets.make('shared-memory'),
      SHARED_KEY: String(sharedMemoryKey),
      SIGNALS: decoySignals,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stack.defer(() => void decoy.kill('SIGKILL'));
  stack.defer(() => void spawnSync('perl', ['-e', `shmctl(shmget(${sharedMemoryKey}, 0, 0), 0, 0)`]));
  await once(decoy.stdout, 'data');
  writeFileSync('/dev/kmsg', `${secrets.make('kernel-log')}\n`);

  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const engineSockets = ['/run/docker.sock', '/var/run/docker.sock', process.env['BERTH_TEST_ENGINE']?.slice(7) ?? ''];
  const done = stack.move();
  return {
    files,
    host: {
      addresses: own
        .filter(({ internal, address }) => !internal && !address.startsWith('fe80'))
        .map((one) => one.address),
      tcpPort: portOf(tcp),
      loopbackPort,
      udpPort: udp.address().port,
      unixSockets: {
        open: [openSocket],
        private: [privateSocket, ...engineSockets.filter((file) => existsSync(file))],
      },
      abstractSocket,
    },
    sharedMemoryKey,
    decoyPid: decoy.pid as number,
    decoySignals,
    [Symbol.asyncDispose]: () => done.disposeAsync(),
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('not a TCP server');
  return address.port;
}

/** Holds secrets in its environment, its arguments, its memory, a deleted file and shared memory, and writes down signals. */
const DECOY = `
  my $memory = $ENV{MEMORY}; open my $log, '>>', $ENV{SIGNALS} or die;
  open my $file, '+>', 'deleted' or die; unlink 'deleted'; syswrite $file, $ARGV[1]; seek $file, 0, 0;
  my $id = shmget($ENV{SHARED_KEY}, 128, 0666 | 01000) // die; shmwrite($id, $ENV{SHARED}, 0, 128) or die;
  for my $name ('USR1', 'USR2', 'CONT', 'HUP') { $SIG{$name} = sub { syswrite $log, "$name\\n" } }
  $| = 1; print "ready\\n"; sleep 1 while 1`;
