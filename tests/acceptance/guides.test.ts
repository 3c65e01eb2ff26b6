import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { agentToken, deployAgent } from '../harness/agents.ts';
import { deployed } from '../harness/deploy.ts';
import { guideBlocks, openGuideShell } from '../harness/guide-shell.ts';
import { needs } from '../harness/needs.ts';
import { greeter, type ProjectFiles } from '../harness/project-files.ts';
import { packProject } from '../harness/tar.ts';
import { useBerth } from '../harness/use-berth.ts';

// The secret store of the variables' guide.
const berth = useBerth({ env: { BERTH_SECRETS_COMMAND: '["/bin/echo"]' } });

interface Guide {
  /** What lies in the folder its commands are run in. */
  readonly files?: ProjectFiles;
  /** What its reader has done before. */
  before?(): Promise<unknown>;
  /** Variables of its reader's shell. */
  environment?(): Promise<Readonly<Record<string, string>>>;
  /** What blocks print, by a part of the block. */
  readonly prints?: Readonly<Record<string, RegExp>>;
  /** The heading of a section whose blocks have a test of their own. */
  readonly except?: string;
}

/** The reader's name in commits. */
const COMMITTER = {
  ...{ GIT_AUTHOR_NAME: 'Ann', GIT_AUTHOR_EMAIL: 'ann@example.com' },
  ...{ GIT_COMMITTER_NAME: 'Ann', GIT_COMMITTER_EMAIL: 'ann@example.com' },
};

/** The guides whose shell blocks are run as they stand, one after another; agents.md has a test of its own. */
const GUIDES: Readonly<Record<string, Guide>> = {
  volumes: {
    files: {
      'source.tar.gz': packProject(greeter('shop')),
      'app.tar.gz': packProject(greeter('from a volume')),
      'a.csv': 'a,b\n1,2\n',
      'dump.sql': 'SELECT 1;',
      'photos/one.jpg': 'one',
      'photos/2026/two.jpg': 'two',
    },
  },
  schedules: { files: inFolder('my-app', greeter('cron')) },
  'everyday-commands': { files: inFolder('my-app', greeter('every day')) },
  git: {
    files: inFolder('my-app', greeter('pushed')),
    environment: async () => ({ ...COMMITTER }),
    prints: {
      'berth git setup\n': /remote: Deployed to http:\S*my-app/,
      'echo "# My app"': /^Describe it$/m,
      'git clone': /From a pipeline/,
    },
  },
  variables: {
    files: {
      ...inFolder('orders', greeter('orders')),
      ...inFolder('cart', greeter('cart')),
      'orders/.env': 'MAIL_FROM=shop@example.com\n',
    },
    prints: {
      'berth shared ls': /DATABASE_PASSWORD +\(secret\) +cart, orders/,
      'PASSWORD=second': /orders: `berth follow dpl_/,
      'ORDERS_HOST=': /ORDERS_URL +\$\{\{ services\.orders\.url \}\}/,
    },
  },
  sql: { files: { 'slowest.sql': 'SELECT COUNT(*) AS n FROM logs' } },
  'agent-http': {},
  'agent-chat': {
    before: () => deployAgent(berth, 'client', 'agent-echo'),
    environment: async () => ({ A: `http://client.localhost:${berth.port}`, T: await agentToken(berth, 'client') }),
    // Fails when the stream isn't taken up after the second frame, up to its end.
    prints: { 'LAST=': /^id: \w+:3\n[\s\S]*\ndata: \[DONE\]\n+$/ },
  },
  'agent-tests': {},
  tasks: {},
  'signing-in': { before: () => deployed(berth, 'my-app', { files: greeter('signed in') }) },
  security: {},
  terminal: { before: () => deployed(berth, 'my-app', { files: greeter('entered') }) },
  declarative: {
    files: {
      'platform.yaml': guideBlocks('declarative', 'yaml').join(''),
      'production.env': 'API_TOKEN=secret-of-the-guide\n',
      ...inFolder('web', greeter('web')),
      ...inFolder('report', greeter('report')),
    },
    prints: { 'berth apply -y': /\+ service web: [\s\S]*Deployed report/, '--exit-code': /No changes/ },
  },
  mcp: { prints: { 'AGENT_KEY=': /list_services\n[\s\S]*write_object/ } },
  traffic: { files: greeter('split'), prints: { 'traffic my-app\n': /100%[\s\S]*http:\/\/beta---my-app\.localhost/ } },
  metrics: { before: () => deployed(berth, 'my-app', { files: greeter('measured') }) },
  // Each restores into ./check what it backed up.
  production: { before: () => deployed(berth, 'kept', { files: greeter('kept') }) },
  // The bucket's commands run in kept-backups.test.ts.
  backups: {
    except: 'On a schedule, into a bucket',
    before: () => deployed(berth, 'saved', { files: greeter('saved'), fields: { volumes: '{"/data":"records"}' } }),
  },
};

it.for(Object.keys(GUIDES))(
  'the commands of docs/guides/%s.md work as they stand',
  { timeout: 300_000 },
  async (guide, context) => {
    await needs(context, 'curl', 'git', 'jq', 'python');
    using folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-guide-'));
    writeFiles(folder.path, GUIDES[guide]?.files ?? {});
    await GUIDES[guide]?.before?.();
    const shell = openGuideShell(berth, folder.path, await GUIDES[guide]?.environment?.());
    const except = GUIDES[guide]?.except;
    const excepted = except ? guideBlocks(guide, 'sh', except) : [];
    const blocks = guideBlocks(guide, 'sh').filter((block) => !excepted.includes(block));
    expect(blocks.length).toBeGreaterThan(0);
    const printed: string[] = [];
    for (const block of blocks) printed.push(await shell.run(block));
    for (const [part, pattern] of Object.entries(GUIDES[guide]?.prints ?? {})) {
      expect(printed[blocks.findIndex((block) => block.includes(part))]).toMatch(pattern);
    }
  },
);

function inFolder(folder: string, files: ProjectFiles): ProjectFiles {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));
}

function writeFiles(folder: string, files: ProjectFiles): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
}
