import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, globSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packAgent } from './pack-agent.ts';
import { sourceDigest } from './source-digest.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

let folder: string;
let manifest: Manifest;

/** What `npm install` of the tarball comes to, with the repo's copies of the libraries it depends on. */
async function install(tarball: string): Promise<void> {
  const target = path.join(folder, 'node_modules/@berth/agent');
  const tar = extract();
  const unpacked = (async () => {
    for await (const entry of tar) {
      const file = path.join(target, entry.header.name.replace(/^package\//, ''));
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, await buffer(entry));
    }
  })();
  await Promise.all([pipeline(createReadStream(tarball), createGunzip(), tar), unpacked]);
  manifest = JSON.parse(await readFile(path.join(target, 'package.json'), 'utf8')) as Manifest;
  for (const name of [...Object.keys(manifest.dependencies), '@types/node']) {
    const link = path.join(folder, 'node_modules', name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(ROOT, 'node_modules', name), link);
  }
}

async function typeCheck(source: string): Promise<string> {
  await writeFile(path.join(folder, 'check.ts'), source);
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  return run(process.execPath, [tsc, '-p', folder], { cwd: folder }).then(
    () => '',
    (error: { readonly stdout: string }) => error.stdout,
  );
}

const AGENT = `import { callout, defineAgent } from '@berth/agent';

const agent = defineAgent({
  name: 'ten-lines',
  async *handler({ messages }) {
    yield \`You said \${messages.at(-1)?.content}. \`;
    yield callout('That was all.', 'success');
  },
});
const { url } = await agent.listen({ port: 0 });
console.log(url);
`;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'berth-pack-'));
  await install((await packAgent(ROOT, path.join(folder, 'vendor'))).file);
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  // The configuration that berth init writes.
  const config = await readFile(path.join(ROOT, 'apps/cli/templates/agent/tsconfig.json'), 'utf8');
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ ...JSON.parse(config), files: ['check.ts'] }));
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the packed agent library', { timeout: 60_000 }, () => {
  test('brings our packages along, and depends on few others, in exact versions', () => {
    expect(Object.keys(manifest.dependencies).filter((name) => name.startsWith('@berth/'))).toEqual([]);
    expect(Object.keys(manifest.dependencies)).toEqual(expect.arrayContaining(['hono', 'zod']));
    const { '@opentelemetry/api': shared, ...others } = manifest.dependencies;
    for (const version of Object.values(others)) expect(version).toMatch(/^\d+\.\d+\.\d+/);
    // A second copy would not see the SDK that the agent's program registered with the first.
    expect(shared).toMatch(/^\^1\./);
  });

  // Fails when agent-store exports its drivers beside its ports: the agent's types then reach Kysely, which stays outside.
  test('hands on the notices of what is inside', async () => {
    const notices = await readFile(path.join(folder, 'node_modules/@berth/agent/THIRD-PARTY.txt'), 'utf8');
    expect(notices).toMatch(/^kysely \d/m);
    expect(notices).toContain('Permission is hereby granted');
    expect(notices).not.toContain('@berth/');
  });

  test('an agent in ten lines type-checks, and a component that is none does not', async () => {
    expect(await typeCheck(AGENT)).toBe('');
    expect(await typeCheck(AGENT.replace("'success'", "'great'"))).toContain('"great"');
    expect(await typeCheck(AGENT.replace('messages.at(-1)?.content', 'messages.nothing'))).toContain('nothing');
    expect(await typeCheck(AGENT.replace("name: 'ten-lines',", ''))).toContain('name');
    // Nothing is `any` only because a library is missing.
    expect(await typeCheck(`${AGENT}agent.routes.nothing;`)).toContain('nothing');
  });

  test.each(globSync('{apps/cli/templates,examples}/agent*/', { cwd: ROOT }))(
    '%s type-checks against it',
    async (project) => {
      const sources = globSync('*.ts', { cwd: path.join(ROOT, project) });
      expect(sources).toContain('agent.ts');
      for (const source of sources) await copyFile(path.join(ROOT, project, source), path.join(folder, source));
      expect(await typeCheck("import './agent.ts';")).toBe('');
    },
  );

  test('it runs in plain Node, in a folder that knows nothing of this repo', async () => {
    await writeFile(path.join(folder, 'agent.js'), AGENT);
    const child = spawn(process.execPath, ['agent.js'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], BERTH_AGENT_DATA: path.join(folder, 'data') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    try {
      const problems: string[] = [];
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => problems.push(chunk));
      let url: string | undefined;
      for await (const line of createInterface({ input: child.stdout })) {
        if (line.startsWith('http://')) {
          url = line;
          break;
        }
      }
      expect(url, problems.join('')).toBeDefined();
      const answer = await fetch(`${url}/chat`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ messages: [{ role: 'user', content: 'ahoy' }] }),
      });
      expect(answer.status).toBe(200);
      const text = await answer.text();
      expect(text).toContain('You said ahoy.');
      expect(text).toContain('"callout":"That was all.","style":"success"');
    } finally {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
  });

  test('draws slides with the library that an agent adds for it, and says so where it was not added', async () => {
    const pdf = path.join(folder, 'one.pdf');
    const pages = '<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 720 405]>>';
    await writeFile(pdf, `%PDF-1.4\n1 0 obj<</Pages 2 0 R>>endobj 2 0 obj${pages}endobj trailer<</Root 1 0 R>>`);
    const program = path.join(folder, 'node_modules/@berth/agent/dist/draw-slides.js');
    const draw = (name: string) => run(process.execPath, [program, pdf, path.join(folder, name)], { cwd: folder });
    await expect(draw('none.json')).rejects.toMatchObject({ code: 4, stdout: expect.stringContaining('npm install') });
    await symlink(path.join(ROOT, 'node_modules/pdfjs-dist'), path.join(folder, 'node_modules/pdfjs-dist'));
    await draw('one.json');
    expect(JSON.parse(await readFile(path.join(folder, 'one.json'), 'utf8'))).toEqual({
      count: 1,
      slides: [expect.stringMatching(/^data:image\/jpeg;base64,/)],
    });
  });
});

test('the digest of sources is of their names and contents, and not of their tests', async () => {
  const sources = await mkdtemp(path.join(tmpdir(), 'berth-digest-'));
  try {
    await writeFile(path.join(sources, 'a.ts'), '1');
    await writeFile(path.join(sources, 'a.test.ts'), '1');
    const digest = () => sourceDigest(sources, ['*.ts']);
    const first = digest();
    await writeFile(path.join(sources, 'a.test.ts'), '2');
    expect(digest()).toBe(first);
    await writeFile(path.join(sources, 'a.ts'), '2');
    const second = digest();
    expect(second).not.toBe(first);
    await rename(path.join(sources, 'a.ts'), path.join(sources, 'b.ts'));
    expect(digest()).not.toBe(second);
    expect(() => sourceDigest(sources, ['*.js'])).toThrow('no sources');
  } finally {
    await rm(sources, { recursive: true });
  }
});
