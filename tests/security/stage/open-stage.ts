import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createAccount, type OtherAccount } from '../../harness/accounts.ts';
import { type Berth, type BerthOptions, createBerth } from '../../harness/berth.ts';
import { type DeployOutcome, deployed } from '../../harness/deploy.ts';
import { freePort } from '../../harness/free-port.ts';
import { uniqueName } from '../../harness/names.ts';
import type { ProjectFiles } from '../../harness/project-files.ts';
import { request } from '../../harness/request.ts';
import { waitFor } from '../../harness/wait-for.ts';
import type { Facts } from '../inside/attempt.ts';
import { INSIDE_ATTEMPTS } from '../inside/attempts.ts';
import type { Configuration } from './configurations.ts';
import { type Elsewhere, openElsewhere } from './open-elsewhere.ts';
import { plant } from './plant.ts';
import { createSecrets, type Secrets } from './secrets.ts';
import { findBelow, findVictim, holds, VICTIM_MOUNT, victimProject } from './victim.ts';

/** A platform in one configuration, with a victim and a hostile service on it. */
export interface Stage extends AsyncDisposable {
  readonly configuration: Configuration;
  readonly berth: Berth;
  /** What the server was started with, but its arguments. */
  readonly options: BerthOptions;
  readonly secrets: Secrets;
  readonly facts: Facts;
  /** The account of the attacker, and its key of scope `deploy`. */
  readonly attacker: OtherAccount & { readonly deployKey: string };
  readonly victimAccount: OtherAccount;
  /** Deployments. */
  readonly victim: string;
  readonly hostile: string;
  /** The hostile service's deploy, whose build made attempts. */
  readonly hostileDeploy: DeployOutcome;
  /** The server's user. */
  readonly uid: number;
  /** An empty folder of the test's own. */
  readonly scratch: string;
}

const INSIDE = path.join(import.meta.dirname, '../inside');

/** The hostile project; its build makes the attempts of builds and does not fail when one does. */
export function hostileProject(facts: Facts, more: ProjectFiles = {}): ProjectFiles {
  const sources = readdirSync(INSIDE).map((file) => [`inside/${file}`, readFileSync(path.join(INSIDE, file))]);
  const inBuild = INSIDE_ATTEMPTS.filter(({ from }) => from?.includes('build') ?? true).map(({ id }) => id);
  return {
    'package.json': JSON.stringify({ type: 'module', private: true }),
    'berth.json': JSON.stringify({
      build: [['node', 'inside/main.ts', 'attempts', 'facts.json', ...inBuild]],
      start: ['node', 'inside/main.ts', 'serve'],
    }),
    'facts.json': JSON.stringify(facts),
    ...Object.fromEntries(sources),
    ...more,
  };
}

/** Starts the server, plants what attacks look for, and deploys a victim and a hostile service. */
export async function openStage(configuration: Configuration): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const secrets = createSecrets();
  const uid = configuration.uid ?? 0;
  const adminPort = await freePort();
  const scratch = mkdtempSync(path.join(tmpdir(), 'berth-attacks-'));
  stack.defer(() => rmSync(scratch, { recursive: true, force: true }));
  const home = path.join(scratch, 'home');
  mkdirSync(home);
  chownSync(home, uid, uid);
  const hiddenFolder = path.join(scratch, secrets.make('path'));
  mkdirSync(hiddenFolder, { mode: 0o700 });
  const elsewhere = stack.use(await openElsewhere(secrets));
  const options: BerthOptions = {
    args: ['--admin-port', String(adminPort), '--blocked-ranges', `${elsewhere.facts.blocked}/32`],
    launcher: launcherOf(uid, secrets.make('session-keyring')),
    env: {
      ...configuration.settings(),
      ...(uid === 0 ? {} : { HOME: home }),
      // Instances stay as they are while attempts are made.
      BERTH_IDLE_TIMEOUT: '900',
      BERTH_SUSPEND_AFTER: '0',
      // More than the machine has: idle instances are not stopped for new ones, the victim least of all.
      BERTH_MEMORY_BUDGET: '256Gi',
      BERTH_CPU_OVERCOMMIT: '100',
      PATH: `${process.env['PATH']}:${hiddenFolder}`,
      AWS_SECRET_ACCESS_KEY: secrets.make('server-environment'),
    },
  };
  const berth = createBerth(options);
  stack.defer(() => berth.close());
  chownSync(berth.dataFolder, uid, uid);
  await berth.start();
  secrets.add(berth.key);
  const planted = stack.use(await plant(configuration, secrets, berth.dataFolder));

  const attackerAccount = await createAccount(berth, uniqueName('attacker'));
  const victimAccount = await createAccount(berth, secrets.make('account-name'));
  const made = await berth.post(
    '/v1/user/keys',
    { name: 'deploys only', scopes: ['deploy'] },
    { 'X-API-Key': attackerAccount.key },
  );
  const deployKey = ((await made.json()) as { secret: string }).secret;
  const victim = uniqueName('victim');
  const set = { VICTIM_SECRET: secrets.make('victim-environment') };
  await berth.post('/v1/env/set', { deployment_name: victim, set }, { 'X-API-Key': victimAccount.key });
  await deployed(berth, victim, {
    files: victimProject(secrets),
    key: victimAccount.key,
    fields: { volumes: JSON.stringify({ [VICTIM_MOUNT]: 'victim' }) },
  });
  const answer = await request(berth, victim);
  if (!answer.text.startsWith('victim: ')) throw new Error(`the victim answered ${answer.status}: ${answer.text}`);
  const facts = await findFacts(berth, victim, secrets, {
    ...planted,
    elsewhere,
    ...{ adminPort, victimAccountId: victimAccount.id },
  });
  secrets.add(readFileSync(facts.files['master-key'] as string).toString('hex'));

  const hostile = uniqueName('hostile');
  const hostileDeploy = await deployed(berth, hostile, { files: hostileProject(facts), key: deployKey });
  elsewhere.addLaterAddress();
  const done = stack.move();
  return {
    ...{ configuration, berth, options, secrets, facts, victimAccount, victim, hostile, hostileDeploy, uid, scratch },
    attacker: { ...attackerAccount, deployKey },
    [Symbol.asyncDispose]: () => done.disposeAsync(),
  };
}

/** Starts the server as another user, with a session keyring of its own that holds a secret (keyctl(2)). */
function launcherOf(uid: number, secret: string): string[] {
  const [join, add] = process.arch === 'arm64' ? [219, 217] : [250, 248];
  const plantKey = `my ($type, $name, $key) = ('user', 'berth-planted', shift); syscall(${join}, 1, $type);
    syscall(${add}, $type, $name, $key, length $key, -3); exec @ARGV`;
  const asUser = uid === 0 ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  return [...asUser, 'perl', '-e', plantKey, secret];
}

interface KnownFacts {
  readonly files: Readonly<Record<string, string>>;
  readonly host: Omit<Facts['host'], 'adminPort' | 'laterAddress' | 'aliasAddress'>;
  readonly elsewhere: Elsewhere;
  readonly sharedMemoryKey: number;
  readonly decoyPid: number;
  readonly decoySignals: string;
  readonly adminPort: number;
  readonly victimAccountId: string;
}

/** Looks as root of the host for all that an attacker would like to know. */
async function findFacts(berth: Berth, name: string, secrets: Secrets, known: KnownFacts): Promise<Facts> {
  const { dataFolder } = berth;
  const victim = findVictim(name);
  const publicFolders = readdirSync('/var/lib').filter((one) => one.startsWith('berth-') && !one.includes('planted'));
  const workFolder = [...publicFolders.map((one) => path.join('/var/lib', one)), path.join(dataFolder, 'work')].find(
    (folder) => existsSync(path.join(folder, 'volumes', known.victimAccountId)),
  ) as string;
  const named = (file: string, otherwise: string): string =>
    findBelow([workFolder], (one) => path.basename(one) === file) ?? otherwise;
  const log = await waitFor('the log is written', () =>
    findBelow([path.join(dataFolder, 'logs')], (file) => holds(file, `${secrets.prefix}victim-log`)),
  );
  const volume = named('victim-volume.txt', `${victim.root}${VICTIM_MOUNT}/victim-volume.txt`);
  const source = named('victim-source.txt', `${victim.root}${victim.workingFolder}/victim-source.txt`);
  const runtimeState = path.join(dataFolder, 'runtime', 'planted');
  writeFileSync(runtimeState, secrets.make('runtime-state'), { mode: 0o600 });
  const toolchain = path.join(workFolder, 'toolchain');
  const mark = `berth-planted-mark-${secrets.prefix.slice(0, -1)}`;
  return {
    secretPrefix: secrets.prefix,
    files: {
      ...known.files,
      'master-key': path.join(dataFolder, 'master.key'),
      database: path.join(dataFolder, 'berth.db'),
      'database-log': path.join(dataFolder, 'berth.db-wal'),
      'runtime-state': runtimeState,
      'service-log': log,
      'victim-source': source,
      'victim-volume': volume,
      'victim-temporary': named('victim-temporary.txt', `${victim.root}/tmp/victim-temporary.txt`),
    },
    marks: {
      'usr-bin': `/usr/bin/${mark}`,
      'usr-lib': `/usr/lib/${mark}`,
      cron: `/etc/cron.d/${mark}`,
      'root-home': `/root/${mark}`,
      'data-folder': path.join(dataFolder, mark),
      'node-folder': path.join(path.dirname(process.execPath), mark),
      // Containers have no toolchains of the machine.
      toolchain: path.join(existsSync(toolchain) ? toolchain : workFolder, `${mark}-toolchain`),
      'victim-artifact': path.join(path.dirname(source), mark),
      'victim-volume': path.join(path.dirname(volume), mark),
      'decoy-signals': known.decoySignals,
      archive: `/tmp/${mark}`,
    },
    pids: { server: berth.pid, victim: victim.pid, decoy: known.decoyPid },
    victim: { port: victim.port, addresses: victim.addresses, forwardedPorts: victim.forwardedPorts },
    host: {
      ...known.host,
      adminPort: known.adminPort,
      laterAddress: known.elsewhere.laterAddress,
      aliasAddress: known.elsewhere.aliasAddress,
    },
    metadata: known.elsewhere.metadata,
    elsewhere: known.elsewhere.facts,
    sharedMemoryKey: known.sharedMemoryKey,
  };
}
